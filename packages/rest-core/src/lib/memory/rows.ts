import { isEmpty } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'

/** A stored row: filled values by column, the id among them. Never changed, only replaced. */
export type Row = ReadonlyMap<string, FieldValue>

/** The rows of one table by id, with the indexes that were asked for. */
export class Rows {
  #rows = new Map<string, Row>()
  #indexes = new Map<string, { readonly columns: readonly string[]; readonly ids: Map<string, Set<string>> }>()
  #lastId = 0n

  get(id: string): Row | undefined {
    return this.#rows.get(id)
  }

  entries(): Iterable<[id: string, row: Row]> {
    return this.#rows.entries()
  }

  values(): Iterable<Row> {
    return this.#rows.values()
  }

  /** An id that was never given out before, not even in a transaction that was undone. */
  nextId(): string {
    this.#lastId += 1n
    return String(this.#lastId)
  }

  /** Later ids come after this one, when it is a number. */
  reserve(id: string): void {
    if (/^\d+$/.test(id) && BigInt(id) > this.#lastId) this.#lastId = BigInt(id)
  }

  /** Puts, replaces or (with `undefined`) removes a row. */
  set(id: string, row: Row | undefined): void {
    const old = this.#rows.get(id)
    for (const { columns, ids } of this.#indexes.values()) {
      if (old) remove(ids, indexKey(old, columns), id)
      if (row) add(ids, indexKey(row, columns), id)
    }
    if (row) this.#rows.set(id, row)
    else this.#rows.delete(id)
  }

  /** Ids of the rows that hold the same values in these columns as `row`; none when one of the values is empty. */
  like(row: Row, columns: readonly string[]): string[] {
    if (columns.some((column) => isEmpty(row.get(column)))) return []
    const name = columns.join()
    let index = this.#indexes.get(name)
    if (!index) {
      index = { columns, ids: new Map() }
      for (const [id, each] of this.#rows) add(index.ids, indexKey(each, columns), id)
      this.#indexes.set(name, index)
    }
    return [...(index.ids.get(indexKey(row, columns)) ?? [])]
  }
}

function add(ids: Map<string, Set<string>>, key: string, id: string): void {
  const set = ids.get(key)
  if (set) set.add(id)
  else ids.set(key, new Set([id]))
}

function remove(ids: Map<string, Set<string>>, key: string, id: string): void {
  const set = ids.get(key)
  set?.delete(id)
  if (set?.size === 0) ids.delete(key)
}

function indexKey(row: Row, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => row.get(column) ?? null))
}
