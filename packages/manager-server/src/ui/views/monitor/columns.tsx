import type { MonitoredInstance } from '@steward/manager-core'
import { Badge, type Column, Time } from '@steward/page-kit'
import { Sparkline } from '../../components/sparkline.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { formatMeasure, measures } from '../../lib/units.js'
import { useLastHour } from '../../lib/use-samples.js'

/** The newest values of each instance. */
export const columns: readonly Column<MonitoredInstance>[] = [
  {
    id: 'name',
    title: t('monitor.name'),
    onCard: 'title',
    cell: ({ name }) => <a href={pathTo('instances', name)}>{name}</a>,
    order: ({ name }) => name,
  },
  {
    id: 'state',
    title: t('instance.status'),
    onCard: 'corner',
    cell: (row) => <StateOf {...row} />,
    order: (row) => rank(row),
  },
  {
    id: 'course',
    title: t('monitor.course'),
    wideOnly: true,
    onCard: 'hidden',
    cell: ({ name, at }) => (at === '' ? null : <Course name={name} />),
  },
  ...measures.map((measure): Column<MonitoredInstance> => ({
    id: measure,
    title: t(`monitor.${measure}`),
    align: 'end',
    cell: (row) => formatMeasure(measure, row[measure]),
    order: (row) => row[measure] ?? -1,
  })),
  {
    id: 'failed',
    title: t('monitor.failed'),
    align: 'end',
    wideOnly: true,
    cell: ({ failed, checks }) => (checks === 0 ? '–' : t('monitor.failedOf', { failed, checks })),
    order: ({ failed }) => failed,
  },
  {
    id: 'at',
    title: t('monitor.checked'),
    wideOnly: true,
    onCard: 'hidden',
    cell: ({ at }) => <Time at={at} />,
    order: ({ at }) => at,
  },
]

/** Not specified; chosen longer than any usual interval. */
const staleMs = 15 * 60_000

/** Whether the last check is too old to say how it is now: it was stopped since, or the server was. */
export function isStale({ at }: Pick<MonitoredInstance, 'at'>, now = Date.now()): boolean {
  return at !== '' && now - Date.parse(at) > staleMs
}

/** The worse, the higher. */
export function rank(row: MonitoredInstance): number {
  const { ok, status, incident } = row
  if (incident !== null) return 4
  if (status === 'started' && isStale(row)) return 1
  if (ok === false && status === 'started') return 3
  return status === 'started' ? (ok === null ? 1 : 2) : 0
}

function StateOf(row: MonitoredInstance) {
  const { ok, reason, status, incident } = row
  if (status === 'stopped') return <Badge>{t('monitor.stopped')}</Badge>
  if (ok === null) return <Badge>{t('monitor.notMeasured')}</Badge>
  if (incident === null && isStale(row)) return <Badge>{t('monitor.stale')}</Badge>
  if (ok && incident === null && reason === '') return <Badge tone="good">{t('monitor.ok')}</Badge>
  return <Badge tone={ok ? 'warn' : 'bad'}>{reason || t('health.bad')}</Badge>
}

function Course({ name }: { readonly name: string }) {
  const samples = useLastHour(name)
  return (
    <Sparkline
      values={samples?.map(({ response_ms: ms }) => ms) ?? []}
      label={t('monitor.lastHourOf', { measure: t('monitor.response_ms'), name })}
    />
  )
}
