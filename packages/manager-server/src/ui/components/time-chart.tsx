import { locale } from '@steward/page-kit'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
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
  /** A value at the axis, whose marks are `step` apart: two marks never look the same. */
  readonly formatTick: (value: number, step: number) => string
  /** Charts of one group have one cursor. */
  readonly group: string
  /** Shaded periods under the lines. */
  readonly bands?: readonly ChartBand[]
  /** Moments. */
  readonly marks?: readonly ChartMark[]
  /** A period was drawn with the mouse; in ms since the epoch. */
  readonly onZoom?: (from: number, to: number) => void
}

export interface ChartBand {
  readonly from: number
  readonly to: number
  readonly label: string
}

export interface ChartMark {
  readonly at: number
  readonly label: string
}

const height = 190
/** How near, in pixels, something is said at the cursor, and how long a drawn period is at least. */
const nearPixels = 6

/** Values over time on a canvas. What it says must be said in words beside it, too. */
export function TimeChart(props: TimeChartProps) {
  const { label, series, from, to, group } = props
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const range = useRef<[number, number]>([from, to])
  range.current = [from / 1000, to / 1000]
  const now = useRef(props)
  now.current = props
  const tip = useRef<HTMLDivElement>(null)
  const names = series.map(({ name }) => name).join()

  useEffect(() => {
    const place = element.current as HTMLDivElement
    const colorOf = (at: number) => () => resolved(place, `var(--series-${at % 6})`)
    const [quiet, line] = [() => resolved(place, 'var(--quiet)'), () => resolved(place, 'var(--line)')]
    const font = '12px Geist, system-ui, sans-serif'
    const axis = { font, stroke: quiet, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
    const made = new uPlot(
      {
        width: Math.max(place.clientWidth, 200),
        height,
        legend: { show: false },
        cursor: {
          sync: { key: group },
          drag: { x: true, y: false, setScale: false },
          points: { size: 7 },
          dataIdx: (plot, of, at) => nearestMeasured(plot.data[of] ?? [], at),
        },
        hooks: {
          drawClear: [(plot) => drawBands(plot, now.current.bands ?? [], resolved(place, 'var(--bad-soft)'))],
          draw: [(plot) => drawMarks(plot, now.current.marks ?? [], quiet())],
          setCursor: [(plot) => showTip(plot, tip.current as HTMLDivElement, now.current)],
          setSelect: [(plot) => zoom(plot, now.current.onZoom)],
        },
        scales: {
          x: { range: () => range.current },
          y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] },
        },
        axes: [
          { ...axis, space: 85, values: (_, ticks, __, ___, step) => ticks.map((tick) => timeText(tick, step)) },
          {
            ...axis,
            size: 78,
            values: (_, ticks, __, ___, step) => ticks.map((tick) => now.current.formatTick(tick, step)),
          },
        ],
        series: [
          {},
          ...series.map(({ name }, at) => ({
            label: name,
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
  useEffect(() => chart.current?.redraw(false, true), [props.bands, props.marks])
  return (
    <div class="chart" role="img" aria-label={label} ref={element}>
      <div class="chart-tip" ref={tip} hidden />
    </div>
  )
}

/** All series over the same times. */
function aligned(series: readonly ChartSeries[]): uPlot.AlignedData {
  const tables = series.map(({ times, values }): uPlot.AlignedData => [times.map((time) => time / 1000), [...values]])
  if (tables.length === 0) return [[]]
  // A time that one series has and another one has not is not a gap.
  return uPlot.join(
    tables,
    tables.map(() => [1, 2]),
  )
}

/** Positions of values that no line leads to or from: a line alone would not show them. */
function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const all = Array.from(values)
  // Where another series was measured and this one was not, is not a gap.
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

/** The position nearest to the cursor where something was measured. */
function nearestMeasured(values: ArrayLike<number | null | undefined>, at: number): number {
  for (let step = 0; step < 20; step++)
    for (const one of [at - step, at + step]) if (values[one] !== null && values[one] !== undefined) return one
  return at
}

function drawBands(plot: uPlot, bands: readonly ChartBand[], color: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.fillStyle = color
  for (const { from, to } of bands) {
    const [left, right] = [from, to].map((time) => plot.valToPos(time / 1000, 'x', true)) as [number, number]
    const start = Math.max(left, bbox.left)
    const width = Math.max(Math.min(right, bbox.left + bbox.width) - start, 2)
    if (right >= bbox.left && left <= bbox.left + bbox.width) ctx.fillRect(start, bbox.top, width, bbox.height)
  }
  ctx.restore()
}

function drawMarks(plot: uPlot, marks: readonly ChartMark[], color: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4, 4])
  for (const { at } of marks) {
    const left = Math.round(plot.valToPos(at / 1000, 'x', true))
    if (left < bbox.left || left > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** What was measured at the cursor, and what happened there. */
function showTip(plot: uPlot, tip: HTMLElement, { series, bands = [], marks = [], format }: TimeChartProps): void {
  const { left = -1, idx, idxs = [] } = plot.cursor
  const seconds = idx === null || idx === undefined ? undefined : plot.data[0][idx]
  tip.hidden = left < 0 || seconds === undefined
  if (left < 0 || seconds === undefined) return
  const near = (time: number) => Math.abs(plot.valToPos(time / 1000, 'x') - left) <= nearPixels
  const cursor = plot.posToVal(left, 'x') * 1000
  const line = (text: string, of?: number) => {
    const row = document.createElement('p')
    row.textContent = text
    if (of !== undefined) row.className = `series-${of % 6}`
    return row
  }
  tip.replaceChildren(
    line(exact.format(seconds * 1000)),
    ...series.map(({ name }, at) => {
      const value = plot.data[at + 1]?.[idxs[at + 1] ?? -1]
      return line(`${name}: ${typeof value === 'number' ? format(value) : '–'}`, at)
    }),
    ...marks.filter(({ at }) => near(at)).map(({ label }) => line(label)),
    ...bands.filter((band) => band.from <= cursor && cursor <= band.to).map(({ label }) => line(label)),
  )
  const place = plot.over.offsetLeft + left
  const room = (tip.parentElement?.clientWidth ?? 0) - tip.offsetWidth
  tip.style.left = `${Math.max(0, Math.min(place + 12 > room ? place - tip.offsetWidth - 12 : place + 12, room))}px`
}

function zoom(plot: uPlot, onZoom: TimeChartProps['onZoom']): void {
  const { left, width } = plot.select
  if (width < nearPixels) return
  const [from, to] = [left, left + width].map((at) => Math.round(plot.posToVal(at, 'x') * 1000)) as [number, number]
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  onZoom?.(from, to)
}

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const ofDay = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
const ofHour = new Intl.DateTimeFormat(locale, { hour: 'numeric' })
const ofYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const hasHalves = ofHour.resolvedOptions().hour12 ?? false

/** `18:00`, `6 PM`, `24 Nov`. @param step between two marks, in seconds */
function timeText(seconds: number, step: number): string {
  const time = new Date(seconds * 1000)
  const [hours, minutes] = [time.getHours(), time.getMinutes()]
  if (step >= 86_400 || (hours === 0 && minutes === 0)) return ofYear.format(time)
  return (hasHalves && minutes === 0 ? ofHour : ofDay).format(time)
}
