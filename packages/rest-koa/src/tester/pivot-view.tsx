import { useState } from 'preact/hooks'
import { SelectField } from './controls.js'

type Value = string | number | boolean | null
type Place = readonly Value[]
type Cell = readonly Value[] | null

/** A pivot table as it is answered: docs/pivot-tables.md. */
export interface PivotTable {
  readonly name: string
  readonly lines: readonly { readonly label: string }[]
  readonly columns: readonly { readonly label: string }[]
  readonly values: readonly { readonly name: string; readonly label: string }[]
  readonly rows: readonly (readonly [Place, ...(Place | Cell)[]])[]
}

/** The pivot table of an answer; `undefined` when it is none. */
export function pivotOf(json: unknown): PivotTable | undefined {
  const { lines, columns, values, rows } = (json ?? {}) as Partial<PivotTable>
  const isTable = [lines, columns, values, rows].every(Array.isArray) && (values?.length ?? 0) > 0
  return isTable && (rows?.length ?? 0) > 0 ? (json as PivotTable) : undefined
}

interface Line {
  readonly place: Place
  readonly cells: readonly (number | undefined)[]
}

/** Lines and columns as heads, subtotals and totals in bold, larger values darker. */
export function PivotView({ pivot }: { readonly pivot: PivotTable }) {
  const { chosen, choice } = useValue(pivot)
  const places = columnPlaces(pivot)
  const lines = linesOf(pivot, chosen)
  const isWhole = (line: Place, column: Place) =>
    line.length === pivot.lines.length && column.length === pivot.columns.length
  const most = Math.max(
    0,
    ...lines.flatMap(({ place, cells }) => cells.filter((_cell, at) => isWhole(place, places[at] ?? []))).map(size),
  )
  return (
    <>
      {choice}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Pivot table">
        <table class="records pivot">
          <thead>
            <tr>
              <th scope="col">{pivot.lines.map(({ label }) => label).join(' / ')}</th>
              {places.map((place) => (
                <th key={JSON.stringify(place)} scope="col" class="number">
                  {placeText(place, pivot.columns.length)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ place, cells }) => (
              <tr key={JSON.stringify(place)} class={place.length < pivot.lines.length ? 'total' : ''}>
                <th scope="row">{placeText(place, pivot.lines.length)}</th>
                {cells.map((cell, at) => {
                  const column = places[at] ?? []
                  const heat = isWhole(place, column) && most > 0 ? size(cell) / most : 0
                  return (
                    <td
                      key={JSON.stringify(column)}
                      class={`number ${column.length < pivot.columns.length ? 'total' : ''}`}
                      style={{ '--heat': `${Math.round(heat * 40)}%` }}
                    >
                      {cell === undefined ? <span class="muted">–</span> : cell.toLocaleString('en')}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** A bar for each line, as long as its total. */
export function PivotChart({ pivot }: { readonly pivot: PivotTable }) {
  const { chosen, choice } = useValue(pivot)
  const total = columnPlaces(pivot).findIndex((place) => place.length === 0)
  const bars = linesOf(pivot, chosen)
    .filter(({ place }) => place.length === pivot.lines.length)
    .map(({ place, cells }) => ({ text: placeText(place, pivot.lines.length), value: cells[total] }))
  const most = Math.max(0, ...bars.map(({ value }) => size(value)))
  return (
    <>
      {choice}
      <dl class="bars">
        {bars.map(({ text, value }) => (
          <div key={text}>
            <dt>{text}</dt>
            <dd>
              <span class="bar" style={{ '--part': `${most > 0 ? (size(value) / most) * 100 : 0}%` }} />
              <span>{value === undefined ? '–' : value.toLocaleString('en')}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Which of the values is shown; a list to choose from when there are several. */
function useValue({ values }: PivotTable) {
  const [name, setName] = useState(values[0]?.name ?? '')
  const found = values.findIndex((value) => value.name === name)
  const choice = values.length > 1 && (
    <SelectField
      name="pivot-value"
      label="Value"
      value={name}
      onInput={setName}
      choices={values.map((value) => ({ value: value.name, label: value.label }))}
    />
  )
  return { chosen: Math.max(0, found), choice }
}

function columnPlaces({ rows }: PivotTable): readonly Place[] {
  return (rows[0]?.slice(1) ?? []) as readonly Place[]
}

function linesOf({ rows }: PivotTable, value: number): readonly Line[] {
  return rows.slice(1).map(([place, ...cells]) => ({ place, cells: cells.map((cell) => numberOf(cell?.[value])) }))
}

/** Numbers that a double cannot hold come as texts. */
function numberOf(value: Value | undefined): number | undefined {
  return value === null || value === undefined || value === '' ? undefined : Number(value)
}

function size(value: number | undefined): number {
  return Math.abs(value ?? 0)
}

function placeText(place: Place, length: number): string {
  if (place.length === 0) return 'Total'
  const text = place.map((value) => (value === null || value === '' ? '(empty)' : String(value))).join(' / ')
  return place.length < length ? `${text}: total` : text
}
