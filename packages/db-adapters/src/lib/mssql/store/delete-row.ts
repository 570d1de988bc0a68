import type { ObjectModel, ReferenceModel } from '@steward/rest-core'
import { raw, type Query, type Raw } from '../../sql/builder.js'
import { quote } from '../../sql/text.js'
import { mssqlBuilder } from '../builder.js'
import { byCodePoint } from '../collation.js'
import { rulesFor } from '../references.js'

/**
 * Deletes a row and does with those that refer to it what the database does not do by itself. Rows that go are collected
 * by their ids, then references are emptied, then the rows are deleted, those of the given object last. A batch of
 * statements over table variables, for which knex has no words.
 *
 * @param found selects this column of the row
 */
export function deleteRow(object: ObjectModel, found: (id: string) => Query): Raw | undefined {
  const reached = reachedFrom(object)
  const { isOwn } = rulesFor(object)
  const acting = [...reached.keys()].flatMap((target) =>
    target.referencedBy.map(({ field }) => field).filter(({ onDelete }) => onDelete !== 'refuse'),
  )
  // Ids of several columns are left to the database, which refuses what it cannot do.
  if (!acting.some(isOwn) || [...reached.keys()].some(({ id }) => id.parts)) return undefined
  const list = (of: ObjectModel): string => `@gone${[...reached.keys()].indexOf(of)}`
  const cascading = acting.filter(({ onDelete }) => onDelete === 'cascade')
  const statements = [
    'set nocount on',
    'set xact_abort on',
    'begin transaction',
    ...[...reached.keys()].map((each) => `declare ${list(each)} table (_id ${idType(each)} primary key)`),
    'declare @more int = 1',
  ]
  const first = `${statements.join('; ')}; insert into ${list(object)} ??`
  const rest = [
    `while @more > 0 begin set @more = 0; ${cascading.map(collect).join('; ')} end`,
    ...acting
      .filter(({ onDelete }) => onDelete === 'setNull')
      .map((each) => empty(each, each.column, list(each.target))),
    ...cascading.filter(goesBack).map((each) => empty(each, each.object.id.column, list(each.object))),
    // Those that were reached last refer to those before them.
    ...[...reached.keys()]
      .toSorted((a, b) => reached.get(a)! - reached.get(b)!)
      .slice(0, -1)
      .map(remove),
    'set nocount off',
    remove(object),
    'commit transaction',
  ]
  return raw(mssqlBuilder, `${first}; ${rest.join('; ')}`, [found(object.id.column)])

  function collect({ object: child, column, target }: ReferenceModel): string {
    const childId = quote(child.id.column)
    const found = `${quote(column)} in (select _id from ${list(target)}) and ${childId} not in (select _id from ${list(child)})`
    return `insert into ${list(child)} select ${childId} from ${nameOf(child)} where ${found}; set @more = @more + @@rowcount`
  }

  function empty({ object: child, column }: ReferenceModel, by: string, rows: string): string {
    return `update ${nameOf(child)} set ${quote(column)} = null where ${quote(by)} in (select _id from ${rows})`
  }

  function remove(each: ObjectModel): string {
    return `delete from ${nameOf(each)} where ${quote(each.id.column)} in (select _id from ${list(each)})`
  }

  /** Its rows are deleted after those that it refers to. */
  function goesBack({ object: child, target }: ReferenceModel): boolean {
    return child !== target && reached.get(child)! > reached.get(target)!
  }
}

/** Objects whose rows go together with rows of this one, each with its place in an order of deleting. */
function reachedFrom(object: ObjectModel): ReadonlyMap<ObjectModel, number> {
  const places = new Map<ObjectModel, number>()
  const visited = new Set<ObjectModel>()
  const visit = (each: ObjectModel): void => {
    visited.add(each)
    for (const { object: child, field } of each.referencedBy)
      if (field.onDelete === 'cascade' && !visited.has(child)) visit(child)
    places.set(each, places.size)
  }
  visit(object)
  return places
}

function idType({ id }: ObjectModel): string {
  const isNumber = id.columnType.kind === 'id' && id.columnType.values === 'integer'
  return isNumber ? 'bigint' : `nvarchar(450) collate ${byCodePoint}`
}

function nameOf({ table }: ObjectModel): string {
  return table.split('.').map(quote).join('.')
}
