import { useMemo } from 'preact/hooks'
import { Skeleton } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Panel } from '../../components/panel.js'
import { TimeChart, type ChartSeries } from '../../components/time-chart.js'
import { t } from '../../lib/i18n.js'
import { formatMeasure, measures, type Measure } from '../../lib/units.js'
import { useSamples, type SamplesOf } from '../../lib/use-samples.js'

export interface ChartsProps {
  readonly names: readonly string[]
  readonly rangeMs: number
}

/** As many as there are pixels to see them on. */
const points = 400

/** A chart for each measure, with the same in numbers below. */
export function Charts({ names, rangeMs }: ChartsProps) {
  const { series, failure } = useSamples(names, rangeMs, points)
  if (failure && !series) return <FailureNotice failure={failure} />
  if (!series) return <Skeleton lines={6} />
  const to = Date.now()
  return (
    <div class="parts charts">
      {measures.map((measure) => (
        <Panel key={measure} title={t(`monitor.${measure}`)}>
          <ChartOf measure={measure} series={series} from={to - rangeMs} to={to} />
        </Panel>
      ))}
    </div>
  )
}

interface ChartOfProps {
  readonly measure: Measure
  readonly series: readonly SamplesOf[]
  readonly from: number
  readonly to: number
}

function ChartOf({ measure, series, from, to }: ChartOfProps) {
  const drawn = useMemo(() => series.map((one) => seriesOf(one, measure)), [series, measure])
  const names = series.map(({ name }) => name).join(', ')
  if (drawn.every(({ values }) => values.every((value) => value === null)))
    return <p class="quiet">{t('monitor.nothing')}</p>
  return (
    <>
      <TimeChart
        label={t('monitor.chartOf', { measure: t(`monitor.${measure}`), names })}
        series={drawn}
        from={from}
        to={to}
        format={(value) => formatMeasure(measure, value)}
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
