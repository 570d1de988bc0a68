import { Rows, type Row } from './rows.js'

/** All tables as one side sees them. */
export interface View {
  get(table: string, id: string): Row | undefined
  all(table: string): Iterable<Row>
}

/** Tables that change in place, and what the open transaction found before it changed them. */
export class MemoryData {
  #tables = new Map<string, Rows>()
  /** By table and id; `undefined` stands for a row that was not there. */
  #before: Map<string, Map<string, Row | undefined>> | undefined

  /** With the changes of the open transaction. */
  readonly live: View = {
    get: (table, id) => this.table(table).get(id),
    all: (table) => this.table(table).values(),
  }

  /** Without them. */
  readonly committed: View = {
    get: (table, id) => {
      const before = this.#before?.get(table)
      return before?.has(id) ? before.get(id) : this.table(table).get(id)
    },
    all: (table) => this.#committedRows(table),
  }

  /** What is committed now, for as long as it is needed: rows are never changed, only replaced. */
  copy(): View {
    const tables = new Map([...this.#tables.keys()].map((table) => [table, new Map(this.#committedEntries(table))]))
    return {
      get: (table, id) => tables.get(table)?.get(id),
      all: (table) => tables.get(table)?.values() ?? [],
    }
  }

  table(name: string): Rows {
    let rows = this.#tables.get(name)
    if (!rows) this.#tables.set(name, (rows = new Rows()))
    return rows
  }

  /** Puts, replaces or (with `undefined`) removes a row. */
  write(table: string, id: string, row: Row | undefined): void {
    const rows = this.table(table)
    if (this.#before) {
      let before = this.#before.get(table)
      if (!before) this.#before.set(table, (before = new Map()))
      if (!before.has(id)) before.set(id, rows.get(id))
    }
    rows.set(id, row)
  }

  begin(): void {
    this.#before = new Map()
  }

  commit(): void {
    this.#before = undefined
  }

  undo(): void {
    for (const [table, rows] of this.#before ?? []) {
      for (const [id, row] of rows) this.table(table).set(id, row)
    }
    this.#before = undefined
  }

  *#committedRows(table: string): Iterable<Row> {
    for (const [, row] of this.#committedEntries(table)) yield row
  }

  *#committedEntries(table: string): Iterable<[id: string, row: Row]> {
    const before = this.#before?.get(table)
    for (const [id, row] of this.table(table).entries()) if (!before?.has(id)) yield [id, row]
    for (const [id, row] of before ?? []) if (row) yield [id, row]
  }
}
