import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import type { MonitoredInstance } from '@steward/manager-core'
import { Badge, EmptyState, type Selection, Skeleton, Table, View } from '@steward/page-kit'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import '../styles/chart.css'
import '../styles/panel.css'
import { Charts } from './monitor/charts.js'
import { columns, rank } from './monitor/columns.js'
import { Incidents } from './monitor/incidents.js'

const hourMs = 3_600_000
const ranges = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs, '30d': 30 * 24 * hourMs } as const
type Range = keyof typeof ranges

/** So many can be told apart. */
const mostCompared = 6

/** What was measured of all instances, and of some over time; what is looked at is in the address. */
export function Monitor() {
  const { query, route } = useLocation()
  const { isAllowed } = useActionTable()
  const [order, setOrder] = useState('-state')
  const { data, failure, reload } = useApi<{ readonly list: readonly MonitoredInstance[] }>(
    'monitoring',
    {},
    { refreshMs: 10_000 },
  )
  const rows = data?.list ?? []
  const range: Range = isRange(query['range']) ? query['range'] : '24h'
  const chosen = (query['instances'] ?? '').split(',').filter((name) => rows.some((row) => row.name === name))
  const names = chosen.length > 0 ? chosen : defaultOf(rows)
  const show = (next: { readonly instances?: readonly string[]; readonly range?: Range }) => {
    const wanted = new URLSearchParams({ range: next.range ?? range, instances: (next.instances ?? chosen).join() })
    route(`${pathTo('monitor')}?${wanted}`, true)
  }
  return (
    <View title={t('nav.monitor')} aside={data && <Counts rows={rows} />}>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!data && !failure && <Skeleton lines={8} />}
      {data && rows.length === 0 && (
        <EmptyState title={t('monitor.none')}>
          <p>{t('monitor.noneText')}</p>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <div class="tab-bar">
            <h2>{names.join(', ')}</h2>
            <RangeChoice range={range} onChoose={(one) => show({ range: one })} />
          </div>
          <Charts names={names} rangeMs={ranges[range]} />
          <p class="quiet">{t('monitor.choose', { count: mostCompared })}</p>
          <Table
            caption={t('monitor.instances')}
            columns={columns}
            rows={rows}
            rowKey={({ name }) => name}
            order={order}
            onOrder={setOrder}
            selection={selectionOf(chosen, (instances) => show({ instances }))}
          />
          {isAllowed('incidents') && <Incidents />}
        </>
      )}
    </View>
  )
}

function isRange(text: string | undefined): text is Range {
  return text !== undefined && Object.hasOwn(ranges, text)
}

/** The one that is worst off. */
function defaultOf(rows: readonly MonitoredInstance[]): readonly string[] {
  const [worst] = rows.toSorted((a, b) => rank(b) - rank(a) || Number(b.at !== '') - Number(a.at !== ''))
  return worst ? [worst.name] : []
}

/** Chosen rows are those that are compared. */
function selectionOf(chosen: readonly string[], choose: (names: readonly string[]) => void): Selection {
  const selected = new Set(chosen)
  return {
    selected,
    set(keys, isChosen) {
      const rest = chosen.filter((name) => !keys.includes(name))
      choose(isChosen ? [...rest, ...keys].slice(0, mostCompared) : rest)
    },
    clear: () => choose([]),
    anchor: () => chosen.at(-1),
  }
}

function Counts({ rows }: { readonly rows: readonly MonitoredInstance[] }) {
  const measured = rows.filter(({ status, ok }) => status === 'started' && ok !== null)
  const bad = measured.filter(({ ok }) => ok === false).length
  return (
    <span role="status" class="counts">
      <Badge tone="good">{t('monitor.healthyCount', { count: measured.length - bad })}</Badge>
      {bad > 0 && <Badge tone="bad">{t('monitor.badCount', { count: bad })}</Badge>}
    </span>
  )
}

interface RangeChoiceProps {
  readonly range: Range
  readonly onChoose: (range: Range) => void
}

function RangeChoice({ range, onChoose }: RangeChoiceProps) {
  return (
    <fieldset class="segments">
      <legend class="hidden">{t('monitor.range')}</legend>
      {(Object.keys(ranges) as Range[]).map((one) => (
        <label key={one}>
          <input type="radio" name="range" value={one} checked={one === range} onChange={() => onChoose(one)} />
          <span>{t(`monitor.range.${one}`)}</span>
        </label>
      ))}
    </fieldset>
  )
}
