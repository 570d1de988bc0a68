import { useState } from 'preact/hooks'
import type { SettingDescription } from '@steward/manager-core'
import { Badge, type Column, EmptyState, Skeleton, Table } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import type { TabProps } from './tab.js'

const columns: readonly Column<SettingDescription>[] = [
  {
    id: 'name',
    title: t('settings.name'),
    onCard: 'title',
    cell: ({ name, summary, hint }) => (
      <span class="cell-lines">
        <code>{name}</code>
        <span class="cell-about" lang="en">
          {summary}
        </span>
        {hint !== undefined && (
          <span lang="en">
            <Badge tone="warn">{hint}</Badge>
          </span>
        )}
      </span>
    ),
    order: ({ name }) => name,
  },
  {
    id: 'value',
    title: t('settings.value'),
    cell: ({ value }) => (value === undefined || value === '' ? <span class="quiet">–</span> : <code>{value}</code>),
  },
  {
    id: 'origin',
    title: t('settings.origin'),
    cell: ({ origin }) => <span class="quiet">{origin === 'default' ? t('settings.default') : origin}</span>,
    order: ({ origin }) => origin,
    wideOnly: true,
  },
]

/** The settings of the instance; secrets are never shown. */
export function SettingsTab({ item: { name } }: TabProps) {
  const [all, setAll] = useState(false)
  const [order, setOrder] = useState<string>()
  const { data, failure, reload } = useApi<{ readonly list: readonly SettingDescription[] }>('config', {
    'of-instance': name,
    all: all || undefined,
  })
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  return (
    <div class="tab-parts">
      <p class="quiet">{t('settings.about')}</p>
      <label class="field field-check">
        <input type="checkbox" checked={all} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />
        <span>{t('settings.all')}</span>
      </label>
      {data.list.length === 0 ? (
        <EmptyState title={t('settings.none')} />
      ) : (
        <Table
          caption={t('instance.settings')}
          columns={columns}
          rows={data.list}
          rowKey={(row) => row.name}
          order={order}
          onOrder={setOrder}
        />
      )}
    </div>
  )
}
