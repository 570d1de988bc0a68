/**
 * What a database says about a column that is there, when that lets a statement be written so that it can use an index
 * which a general one would hide. Nothing here changes what a statement means.
 */
export interface ColumnFacts {
  /** Never NULL. */
  readonly required?: boolean
  /** An index keeps this column, which is never NULL, as if NULLs came last: an order that says where they go would miss it. */
  readonly plainOrder?: boolean
  /** The column itself sorts and compares texts by code point. */
  readonly byCodePoint?: boolean
  /** It cannot hold an empty text, e.g. a uuid. */
  readonly neverBlank?: boolean
  /** `like` on the column itself, without a function or another collation around it, can use an index. */
  readonly plainLike?: boolean
}

/** Facts by table and column; both as a model names them. */
export class TableFacts {
  readonly #columns = new Map<string, ColumnFacts>()
  readonly #fold: (name: string) => string

  /** @param fold names that fold to the same are one */
  constructor(fold: (name: string) => string = (name) => name) {
    this.#fold = fold
  }

  add(table: string, column: string, facts: ColumnFacts): void {
    this.#columns.set(this.#key(table, column), facts)
  }

  of(table: string, column: string): ColumnFacts | undefined {
    return this.#columns.get(this.#key(table, column))
  }

  #key(table: string, column: string): string {
    return this.#fold(`${table}\0${column}`)
  }
}
