import type { ReferenceModel } from '@steward/rest-core'
import type { Knex } from 'knex'
import { binder, key, quoted, raw, type Query, type Raw } from './builder.js'
import { keyColumns, type Column, type PlaceOf } from './columns.js'
import { tableKey, type Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import { chainOf, type BoundGuard, type BoundGuards } from './guards.js'

/** The left joins of one statement: each chain of references is followed once. */
export interface Joins {
  /** The expression of a column, adding the joins that it needs. */
  readonly place: PlaceOf
  /** The same as the reader of the query may see it. */
  readonly seen: PlaceOf
  /** Joins what was placed until now, each table after those that it builds on. */
  addTo<Q extends Query>(query: Q): Q
}

export interface JoinOptions {
  /** Every joined row is looked up by its id. Default false. */
  readonly lateral?: boolean
  /** Default: none. */
  readonly guards?: BoundGuards | undefined
}

const guardRoot = 'x_g'

/** @param root Alias of the object that the paths start from. */
export function createJoins(root: string, dialect: Dialect, { lateral = false, guards }: JoinOptions = {}): Joins {
  const { builder } = dialect
  const aliases = new Map<string, string>()
  /** What is read of the rows of an alias. */
  const used = new Map<string, Set<string>>()
  const joins: ((query: Query) => void)[] = []
  /** Long filters name a column many times. */
  const [places, guardedPlaces] = [new Map<Column, string>(), new Map<Column, string>()]

  function aliasOf(path: readonly ReferenceModel[], guarded: boolean): string {
    const last = path.at(-1)
    if (!last) return root
    const from = aliasOf(path.slice(0, -1), guarded)
    const guard = guarded ? guards?.get(chainOf(path)) : undefined
    const name = `${from}.${last.name}${guard ? ' guarded' : ''}`
    const known = aliases.get(name)
    if (known) return known
    const alias = `${root === guardRoot ? guardRoot : 'x_j'}${aliases.size + 1}`
    aliases.set(name, alias)
    const columns = new Set<string>()
    used.set(alias, columns)
    for (const column of keyColumns(last)) used.get(from)?.add(column)
    const table = tableKey(last.target.table, dialect)
    joins.push((query) => {
      if (!lateral)
        query.leftJoin(`${table} as ${alias}`, (clause) => {
          for (const condition of linked(alias, last, from, guard, dialect)) clause.on(condition)
        })
      else {
        // Not all of its columns: the planner would look at each of them.
        const row = builder.select([...columns].map(key)).from(`${table} as x_l`)
        for (const condition of linked('x_l', last, from, guard, dialect)) row.where(condition)
        // knex has no word for it.
        query.joinRaw(`left join lateral ? ${quoted(builder, alias)} on true`, [firstRow(row)] as never)
      }
    })
    return alias
  }

  function placeOf({ path, column }: Column, guarded: boolean): string {
    if (guarded && !guards) throw new TypeError('A guarded filter needs the guards of its query.')
    const alias = aliasOf(path, guarded)
    used.get(alias)?.add(column)
    return quoted(builder, alias, column)
  }

  function place(column: Column, guarded = false): string {
    const known = guarded ? guardedPlaces : places
    const kept = known.get(column) ?? placeOf(column, guarded)
    known.set(column, kept)
    return kept
  }

  return {
    place,
    seen: guards ? (column) => place(column, true) : place,
    addTo(query) {
      for (const join of joins) join(query)
      return query
    },
  }
}

/**
 * A joined column as a subquery of its own, which follows the row's own reference.
 *
 * @param from Alias (or table) of the row.
 */
export function lookup(from: string, column: Column, dialect: Dialect, guards?: BoundGuards): Query {
  const [first, ...rest] = column.path
  if (!first) throw new TypeError(`"${column.name}" is not joined.`)
  const row = 'x_j0'
  const joins = createJoins(row, dialect)
  const value = joins.place({ ...column, path: rest })
  const query = dialect.builder
    .select(dialect.builder.raw(value))
    .from(`${tableKey(first.target.table, dialect)} as ${row}`)
  for (const condition of linked(row, first, from, guards?.get(chainOf([first])), dialect)) query.where(condition)
  return firstRow(joins.addTo(query))
}

/** One row at most, with the number in the text. */
export function firstRow(query: Query): Query {
  return query.limit(1, { skipBinding: true })
}

/** The row of alias `row` is the one that the row of alias `from` refers to, and matches its guard. */
function linked(
  row: string,
  reference: ReferenceModel,
  from: string,
  guard: BoundGuard | undefined,
  dialect: Dialect,
): Raw[] {
  const own = keyColumns(reference)
  const same = keyColumns(reference.target.id).map((id, at) =>
    sameValue(dialect.builder, [row, id], [from, own[at] as string]),
  )
  return guard ? [...same, guardCondition(row, reference, guard, dialect)] : same
}

/** Two columns are equal; each is the alias of a table and a name. */
export function sameValue(builder: Knex, one: readonly [string, string], other: readonly [string, string]): Raw {
  return builder.raw(`${quoted(builder, ...one)} = ${quoted(builder, ...other)}`)
}

/** The condition that the linked row of this alias must match. */
function guardCondition(
  alias: string,
  { target }: ReferenceModel,
  { where: filter, columns, first }: BoundGuard,
  dialect: Dialect,
): Raw {
  const { builder } = dialect
  const isJoined = [...filterFields(filter)].some((name) => columns.readable(name).path.length > 0)
  const joins = createJoins(isJoined ? guardRoot : alias, dialect)
  const matches = binder(builder, first)(filterSql(filter, columns, joins.place, dialect))
  if (!isJoined) return matches
  const query = builder.select(builder.raw('1')).from(`${tableKey(target.table, dialect)} as ${guardRoot}`)
  for (const id of keyColumns(target.id)) query.where(sameValue(builder, [guardRoot, id], [alias, id]))
  return raw(builder, 'exists ?', [joins.addTo(query).where(matches)])
}
