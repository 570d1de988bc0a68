import type { LinkMetadata, ObjectMetadata } from '@steward/rest-core'
import { ButtonLink, Skeleton, Tabs } from '@steward/page-kit'
import { useState } from 'preact/hooks'
import { Problem } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { metadataOf, titleOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'

const most = 50

/** Records that refer to this one, by the reference that does. */
export function Related({ metadata, id }: { readonly metadata: ObjectMetadata; readonly id: string }) {
  const { links } = metadata
  const [selected, select] = useState(links[0]?.id ?? '')
  const link = links.find((one) => one.id === selected)
  if (!link) return null
  return (
    <section class="panel record-related" aria-label={t('record.related')}>
      <Tabs
        label={t('record.related')}
        tabs={links.map((one) => ({ id: one.id, label: one.label || one.object }))}
        selected={selected}
        onSelect={select}
      >
        <LinkedRecords key={link.id} link={link} id={id} />
      </Tabs>
    </section>
  )
}

function LinkedRecords({ link: { object, field }, id }: { readonly link: LinkMetadata; readonly id: string }) {
  const { data, failure, reload } = useAsked(`${object} ${field} ${id}`, async (signal) => {
    const [metadata, page] = await Promise.all([
      metadataOf(object, 'list'),
      client.object(object).page({ filters: { [field]: id }, pageSize: most, signal }),
    ])
    return { metadata, ...page }
  })
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const { metadata, records } = data
  return (
    <>
      {records.length === 0 && <p class="quiet">{t('record.noRelated')}</p>}
      <ul>
        {records.map((record) => (
          <li key={record['row_id']}>
            <a href={pathTo(object, record['row_id'])}>{titleOf(record, metadata)}</a>
          </li>
        ))}
      </ul>
      {metadata.create && (
        <ButtonLink icon="add" href={`${pathTo(object, '0')}?${new URLSearchParams({ [field]: id }).toString()}`}>
          {t('record.newTitle', { object: metadata.label || object })}
        </ButtonLink>
      )}
    </>
  )
}
