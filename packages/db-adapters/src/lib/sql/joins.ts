import type { ReferenceModel } from '@steward/rest-core'
import { keyColumns, type Column, type PlaceOf } from './columns.js'
import { quoteTable, type Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import { chainOf, type BoundGuard, type BoundGuards } from './guards.js'
import { firstRows } from './page.js'
import type { Text } from './text.js'

/** The left joins of one statement: each chain of references is followed once. */
export interface Joins {
  /** The expression of a column, adding the joins that it needs. */
  readonly place: PlaceOf
  /** The same as the reader of the query may see it. */
  readonly seen: PlaceOf
  /** ` left join … on …` for what was placed until now, each after those that it builds on. */
  clauses(): Text
}

export interface JoinOptions {
  /** Every joined row is looked up by its id. Default false. */
  readonly lateral?: boolean
  /** Default: none. */
  readonly guards?: BoundGuards | undefined
}

const guardRoot = 'x_g'

/** @param root Alias (or quoted table) of the object that the paths start from. */
export function createJoins(root: string, dialect: Dialect, { lateral = false, guards }: JoinOptions = {}): Joins {
  const { quote } = dialect
  const aliases = new Map<string, string>()
  /** What is read of the rows of an alias, quoted. */
  const used = new Map<string, Set<string>>()
  const clauses: (() => string)[] = []
  const slots: number[] = []

  function aliasOf(path: readonly ReferenceModel[], guarded: boolean): string {
    const last = path.at(-1)
    if (!last) return root
    const from = aliasOf(path.slice(0, -1), guarded)
    const guard = guarded ? guards?.get(chainOf(path)) : undefined
    const key = `${from}.${last.name}${guard ? ' guarded' : ''}`
    const known = aliases.get(key)
    if (known) return known
    const alias = `${root === guardRoot ? guardRoot : 'x_j'}${aliases.size + 1}`
    aliases.set(key, alias)
    const columns = new Set<string>()
    used.set(alias, columns)
    for (const column of keyColumns(last)) used.get(from)?.add(quote(column))
    const table = quoteTable(last.target.table, dialect)
    const condition = (row: string): string =>
      `${linked(row, last, from, dialect)}${guard ? ` and ${guardSql(row, last, guard, dialect)}` : ''}`
    clauses.push(
      lateral
        ? // Not all of its columns: the planner would look at each of them.
          () =>
            ` left join lateral (select ${[...columns].join(', ')} from ${table} x_l where ${condition('x_l')} limit 1) ${alias} on true`
        : () => ` left join ${table} ${alias} on ${condition(alias)}`,
    )
    if (guard) slots.push(...guard.slots)
    return alias
  }

  function place({ path, column }: Column, guarded = false): string {
    if (guarded && !guards) throw new TypeError('A guarded filter needs the guards of its query.')
    const alias = aliasOf(path, guarded)
    used.get(alias)?.add(quote(column))
    return `${alias}.${quote(column)}`
  }

  return {
    place,
    seen: guards ? (column) => place(column, true) : place,
    clauses: () => ({ sql: clauses.map((clause) => clause()).join(''), slots }),
  }
}

/**
 * A joined column as a subquery of its own, which follows the row's own reference.
 *
 * @param from Alias (or quoted table) of the row.
 */
export function lookup(from: string, column: Column, dialect: Dialect, guards?: BoundGuards): Text {
  const [first, ...rest] = column.path
  if (!first) throw new TypeError(`"${column.name}" is not joined.`)
  const row = 'x_j0'
  const joins = createJoins(row, dialect)
  const value = joins.place({ ...column, path: rest })
  const table = `${quoteTable(first.target.table, dialect)} ${row}${joins.clauses().sql}`
  const guard = guards?.get(chainOf([first]))
  const matches = `${linked(row, first, from, dialect)}${guard ? ` and ${guardSql(row, first, guard, dialect)}` : ''}`
  return {
    sql: `(select ${value} from ${table} where ${matches}${firstRows(dialect, 1)})`,
    slots: guard?.slots ?? [],
  }
}

/** The row of alias `row` is the one that the row of alias `from` refers to. */
export function linked(row: string, reference: ReferenceModel, from: string, { quote }: Dialect): string {
  const own = keyColumns(reference)
  return keyColumns(reference.target.id)
    .map((id, at) => `${row}.${quote(id)} = ${from}.${quote(own[at] as string)}`)
    .join(' and ')
}

/** The condition that the linked row of this alias must match. */
function guardSql(alias: string, { target }: ReferenceModel, { where, columns }: BoundGuard, dialect: Dialect): string {
  const { quote } = dialect
  const isJoined = [...filterFields(where)].some((name) => columns.readable(name).path.length > 0)
  if (!isJoined) return filterSql(where, columns, ({ column }) => `${alias}.${quote(column)}`, dialect)
  const joins = createJoins(guardRoot, dialect)
  const matches = filterSql(where, columns, joins.place, dialect)
  const same = keyColumns(target.id).map((id) => `${guardRoot}.${quote(id)} = ${alias}.${quote(id)}`)
  const from = `${quoteTable(target.table, dialect)} ${guardRoot}${joins.clauses().sql}`
  return `exists (select 1 from ${from} where ${same.join(' and ')} and ${matches})`
}
