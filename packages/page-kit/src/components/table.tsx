import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import '../styles/table.css'
import { Icon } from './icon.js'
import { SelectAll, SelectRow, type Selection } from './selection.js'
import { useWindow } from './use-window.js'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** What rows are ordered by. Absent: they cannot be ordered by it. */
  readonly order?: (row: Row) => string | number
  /** Rows come in the order that was chosen, so that they can be ordered by it without `order`. */
  readonly isOrdered?: boolean
  /** `end` is for numbers. Default `start`. */
  readonly align?: 'start' | 'end'
  /** The title is for a screen reader only. */
  readonly titleHidden?: boolean
  /** Left out of windows between that of a phone, where rows are cards, and a wide one. */
  readonly wideOnly?: boolean
  /** On cards: `title` is the head of one, `corner` stands beside it, `plain` has no title; others have their title before them. */
  readonly onCard?: 'title' | 'corner' | 'plain' | 'hidden'
}

/** `id` of a column, descending with `-` before it: `-created`. */
type Order = string

export interface TableProps<Row> {
  /** What it lists, for a screen reader. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Unique and stable. */
  readonly rowKey: (row: Row) => string
  /** What a row is called, where it is not in its first cell. */
  readonly rowName?: (row: Row) => string
  /** How a row looks beside others. */
  readonly rowClass?: (row: Row) => string | undefined
  readonly order?: Order
  /** Rows that come before all others in any order. */
  readonly isFirst?: (row: Row) => boolean
  /** Absent: rows are shown in the order they come in. */
  readonly onOrder?: (order: Order) => void
  readonly selection?: Selection | undefined
  /** Lower rows, for long lists. */
  readonly dense?: boolean
}

/**
 * Rows and columns; on a phone a card per row. Of many rows only those in sight are drawn. The head stays in sight.
 * Roles are said although these are elements of a table: browsers forget them when the elements look like cards.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, rowName = rowKey, rowClass } = props
  const { order, onOrder, isFirst, selection, dense = false } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const ordered = useMemo(() => inOrder(rows, columns, order, isFirst), [rows, columns, order, isFirst])
  const { first, end, above, below } = useWindow(body, ordered.length)
  const keys = useMemo(() => ordered.map(rowKey), [ordered])
  const span = columns.length + (selection ? 1 : 0)
  return (
    <table class={dense ? 'table dense' : 'table'} role="table" aria-rowcount={ordered.length + 1} aria-label={caption}>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          {selection && (
            <th role="columnheader" class="select">
              <SelectAll selection={selection} keys={keys} />
            </th>
          )}
          {columns.map((column) => (
            <Head key={column.id} column={column} order={order} onOrder={onOrder} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body}>
        {above > 0 && <Gap height={above} span={span} />}
        {ordered.slice(first, end).map((row, at) => {
          const key = keys[first + at] as string
          const isSelected = selection?.selected.has(key)
          return (
            <tr
              key={key}
              role="row"
              aria-rowindex={first + at + 2}
              class={[isSelected && 'selected', rowClass?.(row)].filter(Boolean).join(' ')}
            >
              {selection && (
                <td role="cell" class="select">
                  <SelectRow selection={selection} keys={keys} at={first + at} name={rowName(row)} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.id} role="cell" class={classesOf(column)} data-title={column.title}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          )
        })}
        {below > 0 && <Gap height={below} span={span} />}
      </tbody>
    </table>
  )
}

/** Where rows are that are not drawn. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  return (
    <tr class="gap" role="presentation" aria-hidden="true">
      <td role="presentation" colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  )
}

function Head<Row>({
  column,
  order,
  onOrder,
}: { readonly column: Column<Row> } & Pick<TableProps<Row>, 'order' | 'onOrder'>) {
  const { id, title } = column
  if (!(column.order || column.isOrdered) || !onOrder)
    return (
      <th role="columnheader" class={classesOf(column)}>
        {column.titleHidden ? <span class="hidden">{title}</span> : title}
      </th>
    )
  const sort = order === id ? 'ascending' : order === `-${id}` ? 'descending' : undefined
  return (
    <th role="columnheader" class={classesOf(column)} aria-sort={sort}>
      <button
        type="button"
        class={`sort ${sort ?? ''}`}
        title={t('table.sort', { column: title })}
        onClick={() => onOrder(sort === 'ascending' ? `-${id}` : id)}
      >
        {title}
        <Icon name="down" />
      </button>
    </th>
  )
}

function classesOf({ align, wideOnly, onCard }: Column<never>): string {
  return [align === 'end' && 'end', wideOnly && 'wide-only', onCard && `card-${onCard}`].filter(Boolean).join(' ')
}

const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare

/** Rows that are equal stay as they were. */
function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | undefined,
  isFirst: (row: Row) => boolean = () => false,
): readonly Row[] {
  const column = columns.find(({ id }) => id === order?.replace(/^-/, ''))?.order
  const sign = order?.startsWith('-') ? -1 : 1
  const keyed = rows.map((row) => ({ row, key: column?.(row) ?? 0, first: isFirst(row) }))
  keyed.sort(
    ({ key: a, first: isA }, { key: b, first: isB }) =>
      Number(isB) - Number(isA) ||
      (typeof a === 'number' && typeof b === 'number' ? sign * (a - b) : sign * compare(String(a), String(b))),
  )
  return keyed.map(({ row }) => row)
}
