import type { ReferenceModel } from '@steward/rest-core'
import type { Column } from './columns.js'

/** The left joins of one statement: each chain of references is followed once, whoever needs it. */
export interface Joins {
  /** The expression of a column, adding the joins that it needs. */
  place(column: Column): string
  /** `left join … as … on …`, each after those that it builds on. */
  readonly clauses: readonly string[]
}

/**
 * @param root Alias (or quoted table) of the object that the paths start from.
 */
export function createJoins(
  root: string,
  quote: (identifier: string) => string,
  quoteTable: (table: string) => string,
): Joins {
  const aliases = new Map<string, string>()
  const clauses: string[] = []

  function aliasOf(path: readonly ReferenceModel[]): string {
    const last = path.at(-1)
    if (!last) return root
    const chain = path.map(({ name }) => name).join('__')
    const known = aliases.get(chain)
    if (known) return known
    const from = aliasOf(path.slice(0, -1))
    const alias = `_j${aliases.size + 1}`
    aliases.set(chain, alias)
    clauses.push(
      `left join ${quoteTable(last.target.table)} as ${alias} on ${alias}.${quote(last.target.id.column)} = ${from}.${quote(last.column)}`,
    )
    return alias
  }

  return { place: ({ path, column }) => `${aliasOf(path)}.${quote(column)}`, clauses }
}
