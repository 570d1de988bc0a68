import type { Knex } from 'knex'

export type Query = Knex.QueryBuilder
export type Raw = Knex.Raw
/** A statement, or a part of one. */
export type Writing = Query | Raw

/** The text of a statement, and which of the collected values each of its placeholders takes. */
export interface Text {
  readonly sql: string
  readonly slots: readonly number[]
  /** How many placeholders at the end take what a write gives back. */
  readonly outs: number
}

/** Binds the placeholders of a piece of SQL to the values from a place on, piece after piece. */
export type Bind = (sql: string) => Raw

/** Numbers from here on stand for values while knex builds a statement; a limit has to be a number. */
const firstSlot = 2 ** 52

/** What stands for the collected value at this place. */
export function slot(at: number): number {
  return firstSlot + at
}

/** Encloses what stands for a name that is not plain. */
const odd = '\uE000'

/**
 * A name as knex takes it for the name of one thing. knex takes others apart: at dots and ` as `, at `?` in pieces of SQL and
 * brackets in PostgreSQL, and it leaves out brackets in SQL Server. `textOf` puts the name in place.
 */
export function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `${odd}${Buffer.from(name).toString('hex')}${odd}`
}

/** The name in quotes, for pieces of SQL; more of them are joined by dots. */
export function quoted({ client }: Knex, ...names: readonly string[]): string {
  return names.map((name) => (client as Knex.Client).wrapIdentifier(key(name), {}) as string).join('.')
}

/** The compiled statement; executing it needs no more of knex. */
export function textOf(query: Writing): Text {
  const { sql, bindings } = query.toSQL().toNative()
  const isOut = (binding: unknown): boolean => typeof binding === 'object'
  const taken = bindings.filter((binding) => !isOut(binding)) as number[]
  if (!taken.every((number) => number >= firstSlot)) throw new TypeError(`A value is part of the statement: ${sql}`)
  return {
    sql: sql.replaceAll(oddName, (_, start: string, hex: string, end: string) => {
      return `${start}${Buffer.from(hex, 'hex')
        .toString()
        .replaceAll(end, end + end)}${end}`
    }),
    slots: taken.map((number) => number - firstSlot),
    outs: bindings.length - taken.length,
  }
}

/** In the quotes of the dialect, where the closing one stands twice for itself. */
const oddName = new RegExp(`(.)${odd}([0-9a-f]*)${odd}(.)`, 'g')

export function binder(builder: Knex, first: number): Bind {
  let next = first
  return (sql) => {
    const bindings: number[] = []
    for (let at = sql.indexOf('?'); at >= 0; at = sql.indexOf('?', at + 1)) bindings.push(slot(next++))
    return builder.raw(sql, bindings)
  }
}

/** `raw('a ?, ?', [Raw, Query])`; `??` takes a query without brackets. */
export function raw(builder: Knex, sql: string, pieces: readonly Writing[] = []): Raw {
  return builder.raw(sql, pieces as readonly Knex.RawBinding[])
}
