import { createHash } from 'node:crypto'
import type { Model, ObjectModel } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { Change, ChangeOf } from './changes.js'
import type { Catalogue, SchemaDialect } from './dialect.js'
import { lookupIn } from './lookup.js'
import { isOwnName, ownName } from './names.js'
import type { TableInfo } from './table-info.js'

type NewView = ChangeOf<'createView'>

/** Changes of tables that some databases refuse, or do wrong, while a view shows the table. */
const disturbing: ReadonlySet<Change['kind']> = new Set([
  'renameTable',
  'renameColumn',
  'changeColumn',
  'dropColumn',
  'addForeignKey',
  'dropForeignKey',
])

/**
 * Makes the views of objects with a `view`. No database keeps the text of a query as it was given, so that a column of the
 * view is named by a hash of it: that also says that `sync` has made the view. Views of objects that are not defined any
 * more stay.
 *
 * @param changes of tables, before the views
 * @throws StoreError `schema` when there is no query for this database, or the name is taken by something else
 */
export function planViews(
  model: Model,
  catalogue: Catalogue,
  changes: readonly Change[],
  database: SchemaDialect['name'],
): Change[] {
  const lookup = lookupIn(catalogue)
  const wanted = inOrder(
    [...model.objects.values()].flatMap((object) => {
      const sql = queryOf(object, database)
      return sql === undefined ? [] : [{ object, view: newView(object, sql) }]
    }),
  )
  const there = wanted.flatMap(({ object, view }) => {
    const actual = lookup.table(view.table)
    if (!actual) return []
    if (!isOwnView(actual)) throw taken(object, actual)
    return [{ view, isSame: lookup.column(actual, view.mark) !== undefined }]
  })
  const isAgain = there.some(({ isSame }) => !isSame) || changes.some(({ kind }) => disturbing.has(kind))
  const kept = isAgain ? [] : there.map(({ view }) => view)
  const drops = isAgain ? there.map(({ view }) => ({ kind: 'dropView' as const, table: view.table })).toReversed() : []
  return [...drops, ...wanted.map(({ view }) => view).filter((view) => !kept.includes(view))]
}

function queryOf({ name, definition: { view } }: ObjectModel, database: SchemaDialect['name']): string | undefined {
  if (view === undefined || typeof view === 'string') return view
  const sql = view[database]
  if (sql !== undefined) return sql
  throw new StoreError('schema', `Object "${name}" has no query for ${database} in its "view". Add one.`)
}

function newView({ table }: ObjectModel, sql: string): NewView {
  const query = sql.trim()
  const mark = ownName('view', createHash('sha256').update(query).digest('hex').slice(0, 16), [])
  return { kind: 'createView', table, query, mark }
}

function isOwnView({ kind, columns }: TableInfo): boolean {
  return kind !== 'table' && columns.some(({ name }) => isOwnName(name))
}

function taken({ name, table }: ObjectModel, { kind }: TableInfo): StoreError {
  const what = kind === 'table' ? 'a table' : 'a view that sync has not made'
  const text = `Object "${name}" asks for a view "${table}", but there is ${what} of that name. Drop it, give the object another "table", or leave out its "view".`
  return new StoreError('schema', text)
}

/** A view after those that its query names. */
function inOrder<V extends { readonly view: NewView }>(views: readonly V[]): V[] {
  const ordered = new Set<V>()
  const visit = (one: V, above: readonly V[]): void => {
    if (ordered.has(one) || above.includes(one)) return
    for (const other of views)
      if (other !== one && names(one.view.query, other.view.table)) visit(other, [...above, one])
    ordered.add(one)
  }
  for (const one of views) visit(one, [])
  return [...ordered]
}

function names(query: string, table: string): boolean {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_$#]+/gu)
  return words?.includes(table.toLowerCase()) === true
}
