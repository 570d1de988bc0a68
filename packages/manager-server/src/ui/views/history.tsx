import { useLocation } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import type { WireHistoryEntry } from '@steward/manager-core'
import { Button, Choice, EmptyState, Search, Skeleton, Table, Toolbar, View } from '@steward/page-kit'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { useApi } from '../lib/use-api.js'
import { columnsOfHistory, results, resultText } from './history/columns.js'
import { VerifyHistory } from './history/verify-button.js'

/** So many more at a time. */
const page = 200
const most = 100_000

/** What was done, by whom, from where, and how it ended; the newest first. What is looked for is in the address. */
export function History() {
  const { query, route } = useLocation()
  const { q = '', result = '' } = query
  const [limit, setLimit] = useState(page)
  const { data, failure, loading, reload } = useApi<{ list: readonly WireHistoryEntry[] }>(
    'history-list',
    { limit },
    { keep: true },
  )
  const columns = useMemo(() => columnsOfHistory(), [])
  const rows = useMemo(() => filterHistory(data?.list.toReversed() ?? [], q, result), [data, q, result])
  const show = (next: Readonly<Record<string, string>>) => {
    const wanted = new URLSearchParams(Object.entries({ q, result, ...next }).filter(([, value]) => value !== ''))
    route(`${pathTo('history')}${wanted.size > 0 ? `?${wanted}` : ''}`, true)
  }
  return (
    <View
      title={t('nav.history')}
      actions={
        <>
          <VerifyHistory />
          <Button icon="refresh" onClick={reload}>
            {t('button.refresh')}
          </Button>
        </>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      <Toolbar>
        <Search label={t('history.search')} value={q} onSearch={(text) => show({ q: text })} />
        <Choice
          name={t('history.result')}
          any={t('history.anyResult')}
          value={result}
          values={results.map((one) => [one, resultText(one)])}
          onChoose={(one) => show({ result: one })}
        />
      </Toolbar>
      {!data && !failure && <Skeleton lines={8} />}
      {data && rows.length === 0 && <EmptyState title={t('history.none')} icon="search" />}
      {rows.length > 0 && (
        <Table caption={t('nav.history')} columns={columns} rows={rows} rowKey={({ id }) => String(id)} />
      )}
      {data && data.list.length >= limit && limit < most && (
        <p class="history-more">
          <Button busy={loading} onClick={() => setLimit(Math.min(limit * 5, most))}>
            {t('history.more')}
          </Button>
        </p>
      )}
    </View>
  )
}

/** Entries in which all words are, and that ended so. */
function filterHistory(rows: readonly WireHistoryEntry[], q: string, result: string): readonly WireHistoryEntry[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    if (result !== '' && row.result !== result) return false
    const text = [row.action, row.instance, row.actor, row.address, row.message, row.operation].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
