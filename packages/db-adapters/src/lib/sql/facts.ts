/**
 * What a database says about a column that is there: what lets a statement be written so that it can use an index which a
 * general one would hide, and what the column holds that its field does not say, so that what is shown is what is compared.
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
  /** It holds fractions of a second. */
  readonly fraction?: boolean
  /** It holds floating-point numbers of single precision. */
  readonly single?: boolean
  /** Cast to text, it is not the text that is shown: `char(n)` and `inet` of PostgreSQL. */
  readonly castDiffers?: boolean
  /**
   * It need not hold texts although its field does: a column of SQLite with the affinity of numbers, which makes numbers of
   * texts that are compared with it, or with none.
   */
  readonly affinity?: 'number' | 'none'
  /** Texts that are equal in its collation may differ, so that it sorts by the collation as well. */
  readonly folds?: boolean
  /** A type with a list of texts, which sorts by their places in it: `enum` and `set` of MySQL. */
  readonly listed?: boolean
  /** Equal values may have different texts, e.g. `1 day` and `24:00:00`. */
  readonly manyTexts?: boolean
  /** Whether its character set lacks a character of the text. */
  readonly lacks?: (text: string) => boolean
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
