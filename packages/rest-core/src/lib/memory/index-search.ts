import { StoreError } from '../../errors.js'
import { scoreOf } from '../index-search/match-words.js'
import type { ObjectModel } from '../model/model.js'
import type { IndexHit, IndexQuery } from '../store.js'
import type { View } from './memory-data.js'
import { guarding, rowTest, sortRows, toRecord } from './reading.js'
import type { Row } from './rows.js'

/** Rows whose words meet the terms, best first, then by row id. */
export function searchIndex(
  view: View,
  object: ObjectModel,
  { select, limit = Infinity, offset = 0, ...query }: IndexQuery,
): IndexHit[] {
  const guards = query.guards && guarding(view, query.guards)
  const scores = new Map(findByWords(view, object, query))
  const rows = sortRows(view, object, [...scores.keys()], [{ field: 'row_id', descending: false }])
  return rows
    .toSorted((a, b) => (scores.get(b) as number) - (scores.get(a) as number))
    .slice(offset, offset + limit)
    .map((row) => ({ record: toRecord(view, row, select, guards), score: scores.get(row) as number }))
}

/** Rows whose words meet the terms, with their scores. */
export function findByWords(
  view: View,
  object: ObjectModel,
  { terms, where, guards }: Pick<IndexQuery, 'terms' | 'where' | 'guards'>,
): [row: Row, score: number][] {
  const { index } = object
  if (!index) throw new StoreError('internal', `Cannot search the index of "${object.name}": it has none.`)
  const matches = rowTest(view, object, where, guards && guarding(view, guards))
  return [...view.all(object.table)]
    .map((row): [Row, number] => [row, scoreOf((row.get(index.words.column) as string | undefined) ?? '', terms)])
    .filter(([row, score]) => score > 0 && matches(row))
}
