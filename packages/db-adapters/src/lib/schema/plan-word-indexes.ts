import { StoreError } from '@steward/rest-core/errors'
import type { Change } from './changes.js'
import { ownName } from './names.js'
import type { PlanContext } from './plan-context.js'
import type { TableInfo, WordIndexInfo } from './table-info.js'
import type { WantedTable } from './wanted.js'

/**
 * Adds the full-text indexes that are missing; drops those that nothing needs any more, since they can be made again.
 *
 * @throws StoreError `schema` when rows of an existing table cannot be found by words.
 */
export function planWordIndexes(
  wanted: WantedTable,
  actual: TableInfo | undefined,
  { types, lookup, giveName }: PlanContext,
): Change[] {
  const { name: table } = wanted
  const changes: Change[] = []
  const used = new Set<WordIndexInfo>()
  const wantedIds = wanted.id
    ? [{ name: wanted.id.name, type: { kind: 'id', values: wanted.id.values } as const }]
    : wanted.key.flatMap((key) => wanted.columns.filter(({ name }) => name === key))
  const ids = wantedIds.map(({ name, type }) => {
    const { declaration } = (actual && lookup.column(actual, name)) ?? types.column(type)
    return { name, declaration }
  })
  for (const column of wanted.words) {
    const there = actual?.wordIndexes.find((index) => lookup.sameColumn(index.column, column) && isFound(index))
    if (there) {
      used.add(there)
      continue
    }
    const reason = actual && types.wordLimit(actual)
    if (reason !== undefined) {
      const text = `Table "${table}" cannot have an index of words: ${reason}. Take "indexable" from object "${wanted.objects[0]}".`
      throw new StoreError('schema', text)
    }
    const name = types.wordTable?.(table) ?? giveName(ownName('words', table, [column]))
    changes.push({ kind: 'addWordIndex', table, name, column, ids })
  }
  for (const index of actual?.wordIndexes ?? []) {
    if (!used.has(index)) changes.push({ kind: 'dropWordIndex', table, ...index })
  }
  return changes

  function isFound({ name }: WordIndexInfo): boolean {
    return types.wordTable === undefined || name.toLowerCase() === types.wordTable(table).toLowerCase()
  }
}
