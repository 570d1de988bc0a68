import knex, { type Knex } from 'knex'
import type { Dialect } from './dialect.js'

/** Stands for a value of the request while knex writes the statement. */
export class Slot {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/** Text of a statement, and which collected value each of its placeholders takes. */
export interface Text {
  readonly sql: string
  readonly slots: readonly number[]
}

/** knex as a writer of SQL text; it never connects. */
export interface Writer {
  builder(): Knex.QueryBuilder
  /** A piece of SQL; `?` takes the value of the slot with the same position in `slots`. */
  raw(sql: string, slots?: readonly Slot[]): Knex.Raw
  quote(identifier: string): string
  quoteTable(table: string): string
  /** A column as key of knex's `insert` and `update`, which would take `a.b` and `a as b` apart. */
  key(column: string): string
  /** @param paging Slots of limit and offset, in this order, for builders with `limit(1)` and `offset(1)`. */
  finish(builder: Knex.QueryBuilder, options?: { paging?: readonly number[]; suffix?: string }): Text
}

interface Client {
  wrapIdentifier(name: string): string
  positionBindings(sql: string): string
}

export function createWriter(dialect: Dialect): Writer {
  const keys = new Map<string, string>()
  const writer = knex({
    client: dialect.client,
    useNullAsDefault: true,
    // `\?` is how knex writes a question mark that is no placeholder.
    wrapIdentifier: (name, quote) => quote(keys.get(name) ?? name).replaceAll('?', String.raw`\?`),
  })
  const client = writer.client as Client
  const quote = (name: string): string => client.wrapIdentifier(name)
  return {
    builder: () => writer.queryBuilder(),
    raw: (sql, slots = []) => writer.raw(sql, slots as never),
    quote,
    quoteTable: (table) => (dialect.schemas ? table.split('.').map(quote).join('.') : quote(table)),
    key(column) {
      const key = `\uE000${Buffer.from(column).toString('hex')}`
      keys.set(key, column)
      return key
    },
    finish(builder, { paging = [], suffix = '' } = {}) {
      const { sql, bindings } = builder.toSQL() as unknown as { sql: string; bindings: readonly unknown[] }
      const numbered = client.positionBindings(sql).replaceAll(String.raw`\?`, '?')
      let page = 0
      const slots = bindings.map((binding) => (binding instanceof Slot ? binding.index : (paging[page++] as number)))
      return { sql: suffix ? `${numbered} ${suffix}` : numbered, slots }
    },
  }
}

export function slots(from: number, count: number): Slot[] {
  return Array.from({ length: count }, (_, at) => new Slot(from + at))
}
