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
 * @param lateral Every joined row is looked up by its id.
 */
export function createJoins(
  root: string,
  quote: (identifier: string) => string,
  quoteTable: (table: string) => string,
  lateral = false,
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
    const table = quoteTable(last.target.table)
    const id = quote(last.target.id.column)
    const reference = `${from}.${quote(last.column)}`
    clauses.push(
      lateral
        ? `left join lateral (select * from ${table} as _l where _l.${id} = ${reference} limit 1) as ${alias} on true`
        : `left join ${table} as ${alias} on ${alias}.${id} = ${reference}`,
    )
    return alias
  }

  return { place: ({ path, column }) => `${aliasOf(path)}.${quote(column)}`, clauses }
}
