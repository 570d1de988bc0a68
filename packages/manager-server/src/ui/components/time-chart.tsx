import { language } from '@steward/page-kit'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { t } from '../lib/i18n.js'
import '../styles/chart.css'

export interface ChartSeries {
  readonly name: string
  /** In ms since the epoch, ascending. */
  readonly times: readonly number[]
  /** null: nothing was measured. */
  readonly values: readonly (number | null)[]
}

export interface TimeChartProps {
  /** What it shows, in words. */
  readonly label: string
  readonly series: readonly ChartSeries[]
  /** In ms since the epoch. */
  readonly from: number
  readonly to: number
  readonly format: (value: number) => string
  /** Charts of one group have one cursor. */
  readonly group: string
}

const height = 190

/** Values over time on a canvas. What it says must be said in words beside it, too. */
export function TimeChart({ label, series, from, to, format, group }: TimeChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const range = useRef<[number, number]>([from, to])
  range.current = [from / 1000, to / 1000]
  const names = series.map(({ name }) => name).join()

  useEffect(() => {
    const place = element.current as HTMLDivElement
    const colorOf = (at: number) => () => resolved(place, `var(--series-${at % 6})`)
    const [quiet, line] = [() => resolved(place, 'var(--quiet)'), () => resolved(place, 'var(--line)')]
    const axis = { stroke: quiet, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
    const made = new uPlot(
      {
        width: Math.max(place.clientWidth, 200),
        height,
        cursor: { sync: { key: group }, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: { range: () => range.current },
          y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] },
        },
        axes: [
          { ...axis, space: 85, values: (_, ticks, __, ___, step) => ticks.map((tick) => timeText(tick, step)) },
          { ...axis, size: 78, values: (_, ticks) => ticks.map(format) },
        ],
        series: [
          { label: t('monitor.time'), value: (_, seconds) => (seconds === null ? '' : exact.format(seconds * 1000)) },
          ...series.map(({ name }, at) => ({
            label: name,
            value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)),
            stroke: colorOf(at),
            width: 1.75,
            points: {
              show: true,
              size: 5,
              fill: colorOf(at),
              filter: (plot: uPlot, of: number) => lonePoints(plot.data[of] ?? []),
            },
            ...(series.length === 1 && { fill: () => `color-mix(in srgb, ${colorOf(at)()} 12%, transparent)` }),
          })),
        ],
      },
      aligned(series),
      place,
    )
    chart.current = made
    const resize = new ResizeObserver(() => made.setSize({ width: Math.max(place.clientWidth, 200), height }))
    resize.observe(place)
    const redraw = () => made.redraw(false, true)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      resize.disconnect()
      theme.disconnect()
      scheme.removeEventListener('change', redraw)
      made.destroy()
    }
  }, [names, group])

  useEffect(() => chart.current?.setData(aligned(series)), [series, from, to])
  return <div class="chart" role="img" aria-label={label} ref={element} />
}

/** All series over the same times. */
function aligned(series: readonly ChartSeries[]): uPlot.AlignedData {
  const tables = series.map(({ times, values }): uPlot.AlignedData => [times.map((time) => time / 1000), [...values]])
  if (tables.length === 0) return [[]]
  // A time that one series has and another one has not is no gap.
  return uPlot.join(
    tables,
    tables.map(() => [1, 2]),
  )
}

/** Positions of values that no line leads to or from: a line alone would not show them. */
function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const all = Array.from(values)
  // Where another series was measured and this one was not, is no gap.
  const measured = [...all.keys()].filter((at) => all[at] !== undefined)
  const isGap = (at: number | undefined) => at === undefined || all[at] === null
  return measured.filter((at, n) => all[at] !== null && isGap(measured[n - 1]) && isGap(measured[n + 1]))
}

/** A canvas knows no variables. */
function resolved(place: HTMLElement, value: string): string {
  place.style.color = value
  const { color } = getComputedStyle(place)
  place.style.color = ''
  return color
}

const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const ofDay = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
const ofYear = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })

/** @param step between two marks, in seconds */
function timeText(seconds: number, step: number): string {
  const time = new Date(seconds * 1000)
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0
  return (step >= 86_400 || isMidnight ? ofYear : ofDay).format(time)
}
