import type { ComponentChildren } from 'preact'

type Value = string | number | boolean | null
/** Values of the fields of an axis; fewer of them: a subtotal; none: the total. */
export type Place = readonly Value[]
type Cell = readonly Value[] | null

interface Axis {
  readonly label: string
}

/** A pivot table as it is answered: docs/pivot-tables.md. */
export interface Pivot {
  readonly name: string
  readonly lines: readonly Axis[]
  readonly columns: readonly Axis[]
  readonly values: readonly { readonly name: string; readonly label: string }[]
  readonly rows: readonly (readonly [Place, ...(Place | Cell)[]])[]
}

/** The pivot table of an answer; `undefined` when it is none. */
export function pivotOf(json: unknown): Pivot | undefined {
  const { lines, columns, values, rows } = (json ?? {}) as Partial<Pivot>
  const isTable = [lines, columns, values, rows].every(Array.isArray) && (values?.length ?? 0) > 0
  return isTable && (rows?.length ?? 0) > 0 ? (json as Pivot) : undefined
}

/** How numbers and places are said. */
export interface PivotTexts {
  readonly table: string
  readonly total: string
  /** Title of a part: `2007: total`. */
  readonly subtotal: (place: string) => string
  readonly number: (value: number) => string
  readonly value: (axis: 'lines' | 'columns', at: number, value: Value) => string
}

export interface PivotViewProps {
  readonly pivot: Pivot
  /** Which of the values is shown. */
  readonly value: number
  readonly texts: PivotTexts
  /** Where the records of a cell are. Default: nowhere. */
  readonly hrefOf?: (line: Place, column: Place) => string
}

/** Lines and columns as heads, subtotals and totals in bold, larger values darker. */
export function PivotView({ pivot, value, texts, hrefOf }: PivotViewProps) {
  const places = columnPlaces(pivot)
  const lines = linesOf(pivot, value)
  const isWhole = (line: Place, column: Place) =>
    line.length === pivot.lines.length && column.length === pivot.columns.length
  const most = Math.max(
    0,
    ...lines.flatMap(({ place, cells }) => cells.filter((_cell, at) => isWhole(place, places[at] ?? []))).map(size),
  )
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={texts.table}>
      <table class="records pivot">
        <thead>
          <tr>
            <th scope="col">{pivot.lines.map(({ label }) => label).join(' / ')}</th>
            {places.map((place) => (
              <th key={JSON.stringify(place)} scope="col" class="number">
                {placeText('columns', place, pivot, texts)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ place, cells }) => (
            <tr key={JSON.stringify(place)} class={place.length < pivot.lines.length ? 'total' : ''}>
              <th scope="row">{placeText('lines', place, pivot, texts)}</th>
              {cells.map((cell, at) => {
                const column = places[at] ?? []
                const heat = isWhole(place, column) && most > 0 ? size(cell) / most : 0
                return (
                  <td
                    key={JSON.stringify(column)}
                    class={`number ${column.length < pivot.columns.length ? 'total' : ''}`}
                    style={{ '--heat': `${Math.round(heat * 40)}%` }}
                  >
                    {cell === undefined ? (
                      <span class="muted">–</span>
                    ) : (
                      linked(hrefOf?.(place, column), texts.number(cell))
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function linked(href: string | undefined, text: string): ComponentChildren {
  return href === undefined ? text : <a href={href}>{text}</a>
}

/** A bar for each line, as long as its total. */
export function PivotChart({ pivot, value, texts }: Omit<PivotViewProps, 'hrefOf'>) {
  const total = columnPlaces(pivot).findIndex((place) => place.length === 0)
  const bars = linesOf(pivot, value)
    .filter(({ place }) => place.length === pivot.lines.length)
    .map(({ place, cells }) => ({ text: placeText('lines', place, pivot, texts), value: cells[total] }))
  const most = Math.max(0, ...bars.map((bar) => size(bar.value)))
  return (
    <dl class="bars">
      {bars.map((bar) => (
        <div key={bar.text}>
          <dt>{bar.text}</dt>
          <dd>
            <span class="bar" style={{ '--part': `${most > 0 ? (size(bar.value) / most) * 100 : 0}%` }} />
            <span>{bar.value === undefined ? '–' : texts.number(bar.value)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The totals over time, as a line: for an axis of dates. */
export function PivotLine({
  pivot,
  value,
  texts,
  axis,
}: Omit<PivotViewProps, 'hrefOf'> & { readonly axis: 'lines' | 'columns' }) {
  const places = columnPlaces(pivot)
  const lines = linesOf(pivot, value)
  const all =
    axis === 'lines'
      ? lines.map(({ place, cells }) => ({ place, value: cells[places.findIndex(({ length }) => length === 0)] }))
      : places.map((place, at) => ({ place, value: lines.find((line) => line.place.length === 0)?.cells[at] }))
  const points = all.filter(({ place }) => place.length === pivot[axis].length && place[0] !== null && place[0] !== '')
  const most = Math.max(0, ...points.map((point) => point.value ?? 0))
  const least = Math.min(0, ...points.map((point) => point.value ?? 0))
  const x = (at: number) => (points.length > 1 ? (at / (points.length - 1)) * width : width / 2)
  const y = (one: number) => height - ((one - least) / (most - least || 1)) * height
  const text = (at: number) => placeText(axis, points[at]?.place ?? [], pivot, texts)
  return (
    <figure class="pivot-line">
      <p aria-hidden="true">{texts.number(most)}</p>
      <svg
        viewBox={`-6 -6 ${width + 12} ${height + 12}`}
        role="img"
        aria-label={points.map((point, at) => `${text(at)}: ${texts.number(point.value ?? 0)}`).join(', ')}
      >
        <line x1={0} x2={width} y1={y(0)} y2={y(0)} />
        <polyline points={points.map((point, at) => `${x(at)},${y(point.value ?? 0)}`).join(' ')} />
        {points.map((point, at) => (
          <circle key={text(at)} cx={x(at)} cy={y(point.value ?? 0)} r={1}>
            <title>{`${text(at)}: ${texts.number(point.value ?? 0)}`}</title>
          </circle>
        ))}
      </svg>
      <figcaption aria-hidden="true">
        <span>{points.length > 0 && text(0)}</span>
        <span>{points.length > 1 && text(points.length - 1)}</span>
      </figcaption>
    </figure>
  )
}

/** In the units of the drawing, which takes the width that there is. */
const [width, height] = [900, 200]

interface Line {
  readonly place: Place
  readonly cells: readonly (number | undefined)[]
}

function columnPlaces({ rows }: Pivot): readonly Place[] {
  return (rows[0]?.slice(1) ?? []) as readonly Place[]
}

function linesOf({ rows }: Pivot, value: number): readonly Line[] {
  return rows.slice(1).map(([place, ...cells]) => ({ place, cells: cells.map((cell) => numberOf(cell?.[value])) }))
}

/** Numbers that a double cannot hold come as texts. */
function numberOf(value: Value | undefined): number | undefined {
  return value === null || value === undefined || value === '' ? undefined : Number(value)
}

function size(value: number | undefined): number {
  return Math.abs(value ?? 0)
}

function placeText(axis: 'lines' | 'columns', place: Place, pivot: Pivot, texts: PivotTexts): string {
  if (place.length === 0) return texts.total
  const text = place.map((value, at) => texts.value(axis, at, value)).join(' / ')
  return place.length < pivot[axis].length ? texts.subtotal(text) : text
}
