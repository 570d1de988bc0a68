import type { LinkMetadata, ObjectMetadata } from '@steward/rest-core'
import { Button, ButtonLink, Skeleton, Table, Tabs, type Column } from '@steward/page-kit'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { Problem } from '../components/problem.js'
import { columnOf, listFields } from '../lib/columns.js'
import { t } from '../lib/i18n.js'
import { writeListAddress, type ListAddress } from '../lib/list-address.js'
import { metadataOf } from '../lib/service.js'
import { pathTo, pathToNew } from '../lib/settings.js'
import { titleOf } from '../lib/title.js'
import { useAsked } from '../lib/use-asked.js'
import { useRecords } from '../lib/use-records.js'

/** Records of a page, and columns of the table. */
const pageSize = 20
const mostColumns = 5

/** Records that refer to this one, by the reference that does. */
export function Related({ metadata, id }: { readonly metadata: ObjectMetadata; readonly id: string }) {
  const { links } = metadata
  const [selected, select] = useState(links[0]?.id ?? '')
  const link = links.find((one) => one.id === selected)
  if (!link) return null
  return (
    <section class="panel record-related" aria-label={t('record.related')}>
      <h2>{t('record.related')}</h2>
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

function LinkedRecords({ link, id }: { readonly link: LinkMetadata; readonly id: string }) {
  const { data: metadata, failure, reload } = useAsked(link.object, () => metadataOf(link.object, 'list'))
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  return metadata ? <LinkedList metadata={metadata} field={link.field} id={id} /> : <Skeleton />
}

interface LinkedListProps {
  readonly metadata: ObjectMetadata
  readonly field: string
  readonly id: string
}

function LinkedList({ metadata, field, id }: LinkedListProps) {
  const address: ListAddress = { words: '', order: '', conditions: new Map([[field, { kind: 'is', codes: [id] }]]) }
  const { rows, count, failure, isLoading, hasMore, more, reload } = useRecords(metadata, address, pageSize)
  const plural = metadata.plurallabel || metadata.label || metadata.name
  // All of them refer to this record: what comes with the reference is on the page already.
  const fields = listFields(metadata).filter(({ ref }) => ref !== field)
  const columns = fields.slice(0, mostColumns).map((one, at) => columnOf(metadata, one, at))
  const title: Column<AnyRecord> = {
    id: 'title',
    title: metadata.label || metadata.name,
    onCard: 'title',
    cell: (record) => <a href={pathTo(metadata.name, record.row_id)}>{titleOf(record, metadata)}</a>,
  }
  return (
    <div class="record-linked">
      {failure !== undefined && <Problem failure={failure} onRetry={reload} />}
      {rows.length > 0 ? (
        <Table
          caption={plural}
          columns={columns.length > 0 ? columns : [title]}
          rows={rows}
          rowKey={({ row_id: one }) => one}
          rowName={(record) => titleOf(record, metadata)}
          dense
        />
      ) : isLoading ? (
        <Skeleton />
      ) : (
        failure === undefined && <p class="quiet">{t('record.noRelated')}</p>
      )}
      <div class="record-linked-foot">
        {count !== undefined && count > 0 && <span class="quiet">{t('list.count', { count })}</span>}
        {hasMore && (
          <Button busy={isLoading} onClick={more}>
            {t('list.more')}
          </Button>
        )}
        {rows.length > 0 && (
          <ButtonLink href={pathTo(metadata.name) + writeListAddress(address)}>{t('record.inList')}</ButtonLink>
        )}
        {metadata.create && (
          <ButtonLink
            icon="add"
            href={`${pathToNew(metadata.name)}?${new URLSearchParams({ [field]: id }).toString()}`}
          >
            {t('record.newTitle', { object: metadata.label || metadata.name })}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}
