import { useMemo } from 'preact/hooks'
import type { WireHistoryEntry } from '@steward/manager-core'
import { EmptyState, Skeleton, Table } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import { columnsOfHistory } from '../history/columns.js'
import type { TabProps } from './tab.js'

/** What was done to it, the newest first. */
export function HistoryTab({ item: { name } }: TabProps) {
  const columns = useMemo(() => columnsOfHistory(), [])
  const { data, failure, reload } = useApi<{ readonly list: readonly WireHistoryEntry[] }>(
    'history-list',
    { name, limit: 200 },
    { refreshMs: 10_000 },
  )
  if (failure && !data) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  if (data.list.length === 0) return <EmptyState title={t('history.none')} />
  return (
    <Table
      caption={t('instance.history')}
      columns={columns}
      rows={data.list.toReversed()}
      rowKey={({ id }) => String(id)}
    />
  )
}
