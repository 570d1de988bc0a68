import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import type { MonitoredInstance } from '@steward/manager-core'
import { Button, EmptyState, Segments, type Selection, Skeleton, Table, View } from '@steward/page-kit'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { t } from '../lib/i18n.js'
import { periodOf, ranges, type Range } from '../lib/period.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import '../styles/chart.css'
import '../styles/panel.css'
import { Charts } from './monitor/charts.js'
import { columns, rank } from './monitor/columns.js'
import { Incidents, OpenIncidents, useIncidents } from './monitor/incidents.js'
import { Tiles } from './monitor/tiles.js'

/** Rows that are shown at first: charts follow them. */
const mostRows = 10

/** How many can be told apart. */
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
  const [isWhole, setWhole] = useState(false)
  const incidents = useIncidents(isAllowed('incidents'))
  const period = periodOf(query, Date.now())
  const chosen = (query['instances'] ?? '').split(',').filter((name) => rows.some((row) => row.name === name))
  const names = chosen.length > 0 ? chosen : defaultOf(rows)
  const show = (next: Readonly<Record<string, string>>) => {
    const { range = '', from = '', to = '' } = query
    const wanted = { range, from, to, instances: chosen.join(), ...next }
    const given = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''))
    route(`${pathTo('monitor')}${given.size > 0 ? `?${given}` : ''}`, true)
  }
  const running = rows.filter(({ status, incident }) => status !== 'stopped' || incident !== null)
  const stopped = rows.filter((row) => !running.includes(row))
  const selection = selectionOf(chosen, (instances) => show({ instances: instances.join() }))
  const ordered = isWhole ? running : running.toSorted((a, b) => rank(b) - rank(a)).slice(0, mostRows)
  const table = { columns, rowKey: ({ name }: MonitoredInstance) => name, order, onOrder: setOrder, selection }
  return (
    <View title={t('nav.monitor')}>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!data && !failure && <Skeleton lines={8} />}
      {data && rows.length === 0 && (
        <EmptyState title={t('monitor.none')}>
          <p>{t('monitor.noneText')}</p>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <Tiles rows={rows} />
          <OpenIncidents incidents={incidents} />
          <p class="quiet">{t('monitor.choose', { count: mostCompared })}</p>
          {running.length > 0 && <Table {...table} caption={t('monitor.instances')} rows={ordered} />}
          {ordered.length < running.length && (
            <p>
              <Button small onClick={() => setWhole(true)}>
                {t('monitor.showAll', { count: running.length })}
              </Button>
            </p>
          )}
          {stopped.length > 0 && (
            <details class="folded" open={stopped.some(({ name }) => chosen.includes(name)) || undefined}>
              <summary>{t('monitor.stoppedCount', { count: stopped.length })}</summary>
              <Table {...table} caption={t('monitor.stopped')} rows={stopped} />
            </details>
          )}
          <div class="tab-bar">
            <h2>{names.join(', ')}</h2>
            {period.isDrawn && (
              <Button small icon="back" onClick={() => show({ from: '', to: '' })}>
                {t('monitor.zoomOut')}
              </Button>
            )}
            <Segments
              label={t('monitor.range')}
              labelHidden
              value={period.isDrawn ? '' : (period.range ?? '24h')}
              values={(Object.keys(ranges) as Range[]).map((one) => [one, t(`monitor.range.${one}`)])}
              onChoose={(range) => show({ range, from: '', to: '' })}
            />
          </div>
          <Charts
            names={names}
            period={period}
            incidents={incidents}
            onZoom={(from, to) => show({ from: String(from), to: String(to), range: '' })}
          />
          {incidents && <Incidents incidents={incidents} />}
        </>
      )}
    </View>
  )
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
