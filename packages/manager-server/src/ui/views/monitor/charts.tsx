import type { WireHistoryEntry, WireIncident } from '@steward/manager-core'
import { useMemo } from 'preact/hooks'
import { Skeleton } from '@steward/page-kit'
import { titleOf } from '../../components/action-form.js'
import { FailureNotice } from '../../components/failure-notice.js'
import { Panel } from '../../components/panel.js'
import { TimeChart, type ChartBand, type ChartMark, type ChartSeries } from '../../components/time-chart.js'
import { t } from '../../lib/i18n.js'
import { beginningOf, type Period } from '../../lib/period.js'
import { formatMeasure, formatTick, measures, type Measure } from '../../lib/units.js'
import { useApi } from '../../lib/use-api.js'
import { useSamples, type SamplesOf } from '../../lib/use-samples.js'

export interface ChartsProps {
  readonly names: readonly string[]
  readonly period: Period
  readonly incidents: readonly WireIncident[] | undefined
  /** Another period was drawn. */
  readonly onZoom: (from: number, to: number) => void
}

/** As many as there are pixels to see them on. */
const points = 400
const mostPoints = 4000

/** Actions that explain a step or a gap of a line. */
const marked = new Set(['start', 'stop', 'restart', 'upgrade', 'rollback', 'reset', 'restore'])

/** A chart for each measure, with the same in numbers below. */
export function Charts({ names, period, incidents = [], onZoom }: ChartsProps) {
  const now = Date.now()
  // Samples are asked for up to now: the nearer a drawn period is looked at, the more of them there must be.
  const wanted = Math.round((points * (now - period.from)) / (period.to - period.from))
  const since = period.isDrawn ? Math.ceil((now - period.from) / minuteMs) * minuteMs : period.to - period.from
  const { series, failure } = useSamples(names, since, Math.min(wanted, mostPoints))
  const history = useApi<{ readonly list: readonly WireHistoryEntry[] }>('history-list', { limit: 500 }).data?.list
  const bands = useMemo(() => bandsOf(incidents, names, now), [incidents, names.join()])
  const marks = useMemo(() => marksOf(history ?? [], names), [history, names.join()])
  if (failure && !series) return <FailureNotice failure={failure} />
  if (!series) return <Skeleton lines={6} />
  const times = series.flatMap(({ samples }) => samples.slice(0, 1).map(({ at }) => Date.parse(at)))
  const from = beginningOf(period, times)
  const isShown = (at: number) => at >= from && at <= period.to
  return (
    <>
      <p class="quiet chart-key">
        {bands.some((band) => band.to >= from && band.from <= period.to) && (
          <span>
            <span class="key-band" aria-hidden="true" /> {t('monitor.incident')}
          </span>
        )}
        {marks.some(({ at }) => isShown(at)) && (
          <span>
            <span class="key-mark" aria-hidden="true" /> {t('monitor.mark')}
          </span>
        )}
        <span>{t('monitor.draw')}</span>
      </p>
      <div class="parts charts">
        {measures.map((measure) => (
          <Panel key={measure} title={t(`monitor.${measure}`)}>
            <ChartOf
              measure={measure}
              series={series}
              from={from}
              to={period.to}
              bands={bands}
              marks={marks}
              onZoom={onZoom}
            />
          </Panel>
        ))}
      </div>
    </>
  )
}

const minuteMs = 60_000

/** When one of them was part of an incident. */
function bandsOf(incidents: readonly WireIncident[], names: readonly string[], now: number): readonly ChartBand[] {
  return incidents.flatMap(({ message, instances }) =>
    instances
      .filter(({ name }) => names.includes(name))
      .map(({ opened, closed }) => ({
        from: Date.parse(opened),
        to: closed === '' ? now : Date.parse(closed),
        label: message,
      })),
  )
}

/** What was done with one of them. */
function marksOf(history: readonly WireHistoryEntry[], names: readonly string[]): readonly ChartMark[] {
  return history
    .filter(({ action, instance, result }) => marked.has(action) && names.includes(instance) && result === 'ok')
    .map(({ at, action, instance }) => ({ at: Date.parse(at), label: `${titleOf(action) ?? action}: ${instance}` }))
}

interface ChartOfProps {
  readonly measure: Measure
  readonly series: readonly SamplesOf[]
  readonly from: number
  readonly to: number
  readonly bands: readonly ChartBand[]
  readonly marks: readonly ChartMark[]
  readonly onZoom: ChartsProps['onZoom']
}

function ChartOf({ measure, series, ...shown }: ChartOfProps) {
  const drawn = useMemo(() => series.map((one) => seriesOf(one, measure)), [series, measure])
  const names = series.map(({ name }) => name).join(', ')
  if (drawn.every(({ values }) => values.every((value) => value === null)))
    return <p class="quiet">{t('monitor.nothing')}</p>
  return (
    <>
      <TimeChart
        label={t('monitor.chartOf', { measure: t(`monitor.${measure}`), names })}
        series={drawn}
        {...shown}
        format={(value) => formatMeasure(measure, value)}
        formatTick={(value, step) => formatTick(measure, value, step)}
        group="monitor"
      />
      <InNumbers measure={measure} series={drawn} />
    </>
  )
}

function seriesOf({ name, samples }: SamplesOf, measure: Measure): ChartSeries {
  const points = withGaps(samples.map((sample) => [Date.parse(sample.at), sample[measure]]))
  return { name, times: points.map(([time]) => time), values: points.map(([, value]) => value) }
}

type Point = readonly [time: number, value: number | null]

/** Where nothing was measured for long, no line is drawn. */
function withGaps(points: readonly Point[]): readonly Point[] {
  const steps = points.slice(1).map(([time], at) => time - (points[at] as Point)[0])
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  return points.flatMap((point, at) => {
    const step = steps[at - 1] ?? 0
    return step > 4 * usual ? [[point[0] - step / 2, null] as const, point] : [point]
  })
}

/** What a chart shows, for those who do not see it, and those who want to know it exactly. */
function InNumbers({ measure, series }: { readonly measure: Measure; readonly series: readonly ChartSeries[] }) {
  const show = (value: number | undefined) => formatMeasure(measure, value)
  return (
    <div
      class="part-scroll"
      tabIndex={0}
      role="region"
      aria-label={t('monitor.numbers', { measure: t(`monitor.${measure}`) })}
    >
      <table>
        <thead>
          <tr>
            {(['name', 'last', 'least', 'average', 'most'] as const).map((column) => (
              <th key={column} scope="col" class={column === 'name' ? '' : 'end'}>
                {t(`monitor.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map(({ name, values }, at) => {
            const known = values.filter((value) => value !== null)
            const sum = known.reduce((total, value) => total + value, 0)
            return (
              <tr key={name}>
                <th scope="row">
                  <span class={`series-mark series-${at % 6}`} aria-hidden="true" /> {name}
                </th>
                <td class="end">{show(known.at(-1))}</td>
                <td class="end">{show(known.length > 0 ? Math.min(...known) : undefined)}</td>
                <td class="end">{show(known.length > 0 ? sum / known.length : undefined)}</td>
                <td class="end">{show(known.length > 0 ? Math.max(...known) : undefined)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
