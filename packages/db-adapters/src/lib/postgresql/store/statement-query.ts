import type pg from 'pg'

/** The part of pg's `Connection` (the protocol) that a query speaks to. */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => string | null }): void
  execute(message: undefined): void
  /** One message for all of it, for commands without values. */
  query(text: string): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

/** The connection, as its queries need it. */
export interface QueryOwner {
  /** Called before the messages of one query are written; says whether the server must prepare the statement first. */
  sending(wire: Wire, name: string): boolean
  answered(): void
  /** `parsed`: the server was asked to prepare the statement, and that may be what failed. */
  failed(error: unknown, query: StatementQuery, parsed: boolean): void
}

/** A statement with its values, answered in one round trip. */
export interface StatementQuery {
  /** Empty: not kept by the server. */
  readonly name: string
  /** A command such as `commit`. */
  readonly simple: boolean
  readonly text: string
  readonly values: readonly unknown[]
  /** What it is resolved with: its rows, or the tag that says what it did, e.g. `UPDATE 3`. */
  readonly gives: 'rows' | 'tag'
  /** Called for each row as it comes; the answer has none then. */
  readonly onRow?: ((row: readonly unknown[]) => void) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (reason: unknown) => void
}

export type StatementQueryClass = new (owner: QueryOwner, query: StatementQuery) => pg.Submittable

/**
 * pg's query without what a compiled statement does not need: rows stay as the server's texts, in arrays; the server is not
 * asked to describe them each time; values are texts already.
 *
 * In pipeline mode pg takes instances of its own `Query` only, hence the inheritance.
 */
export function statementQueryClass({ Query }: typeof pg): StatementQueryClass {
  const Base = Query as unknown as new (config: object) => object
  const none = {}

  return class extends Base {
    readonly #owner: QueryOwner
    readonly #query: StatementQuery
    readonly #rows: (readonly unknown[])[] = []
    #tag = ''
    #parsed = false

    constructor(owner: QueryOwner, query: StatementQuery) {
      super(none)
      this.#owner = owner
      this.#query = query
    }

    submit(wire: Wire): null {
      const { name, text, values, simple } = this.#query
      this.#parsed = this.#owner.sending(wire, name)
      if (simple) {
        wire.query(text)
        return null
      }
      if (this.#parsed) wire.parse({ name, text })
      wire.bind({ statement: name, values, valueMapper: toText })
      wire.execute(undefined)
      wire.sync()
      return null
    }

    handleRowDescription(): void {}

    handleDataRow(message: { readonly fields: readonly unknown[] }): void {
      const { onRow } = this.#query
      if (onRow) onRow(message.fields)
      else this.#rows.push(message.fields)
    }

    handleCommandComplete(message: { readonly text: string }): void {
      this.#tag = message.text
    }

    handleEmptyQuery(): void {}

    handleReadyForQuery(): void {
      this.#owner.answered()
      this.#query.resolve((this.#query.gives === 'rows' ? this.#rows : this.#tag) as never)
    }

    handleError(error: unknown): void {
      this.#owner.failed(error, this.#query, this.#parsed)
    }
  } as unknown as StatementQueryClass
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? null : String(value)
}
