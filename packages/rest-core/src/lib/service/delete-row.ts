import { RestError } from '../../errors.js'
import { isInColumn } from '../documents/column-content.js'
import type { Filter } from '../filter/filter.js'
import type { ObjectModel, ReferenceModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { StoreSession } from '../store.js'
import { isRecorded, recordChange } from './record-change.js'
import { wholeSelection } from './selections.js'
import type { ServiceContext } from './service-context.js'
import type { LazyTransaction } from './transaction.js'

interface Request {
  readonly context: ServiceContext
  readonly transaction: LazyTransaction
  readonly principal: Principal
}

/** What to throw when the row was not met. */
type Missing = (session: StoreSession) => Promise<RestError>

/**
 * Deletes one row with its hooks. Children that go with it and have hooks or documents of their own, or whose changes are
 * written down, are deleted here, one by one; all others are the database's business.
 *
 * @returns ids of documents that are no longer referred to.
 */
export async function deleteRow(
  request: Request,
  object: ObjectModel,
  rowId: string,
  where: Filter | undefined,
  missing: Missing,
): Promise<string[]> {
  const { context, transaction, principal } = request
  if (needsRows(object, new Set())) {
    const documents = await deleteWhole(request, object, rowId, where, new Set())
    if (documents) return documents
  } else if (await (await context.session(principal, transaction)).delete(object, rowId, where)) return []
  throw await missing(await context.session(principal, transaction))
}

/** `undefined` when there is no such row, or none any more by the time that it could be locked. */
async function deleteWhole(
  request: Request,
  object: ObjectModel,
  rowId: string,
  where: Filter | undefined,
  open: Set<string>,
): Promise<string[] | undefined> {
  const { context, transaction, principal } = request
  const session = await transaction.session()
  const record = await session.get(object, rowId, { select: wholeSelection(object), where, lock: 'delete' })
  if (!record) return undefined
  const { hooks } = object.definition
  const service = context.bind(transaction)
  const hookContext = { object, principal, service, knex: service.knex, record }
  if (hooks?.isDeleteEnable && !(await hooks.isDeleteEnable(hookContext))) {
    throw new RestError('ERR_RIGHT', `This record of "${object.name}" may not be deleted now.`)
  }
  if (hooks?.initDelete) await hooks.initDelete(hookContext)
  if (hooks?.preDelete) await hooks.preDelete(hookContext)

  open.add(`${object.name} ${rowId}`)
  const stored = object.documents.filter((field) => !isInColumn(field))
  const documents = stored.map(({ name }) => record[name] as string)
  for (const { object: child, field } of object.referencedBy) {
    const where: Filter = { op: '=', field: field.name, value: rowId }
    if (field.onDelete === 'setNull' && isRecorded(child)) await unlink(request, session, field, where, open)
    if (field.onDelete !== 'cascade' || !needsRows(child, new Set())) continue
    for (const childId of await idsOf(session, child, where)) {
      // Records that refer to each other in a circle are deleted once.
      if (open.has(`${child.name} ${childId}`)) continue
      // Until it was locked, others may have moved it to another record, or deleted it.
      documents.push(...((await deleteWhole(request, child, childId, where, open)) ?? []))
    }
  }
  if (!(await session.delete(object, rowId))) return undefined
  if (isRecorded(object))
    await recordChange(context, session, { object, operation: 'delete', rowId, principal, old: record })
  if (hooks?.postDelete) await hooks.postDelete(hookContext)
  return documents.filter((id) => id !== '')
}

/** The row must be read before it goes: for hooks, for documents, or for children that need it. */
function needsRows(object: ObjectModel, seen: Set<ObjectModel>): boolean {
  if (seen.has(object)) return false
  seen.add(object)
  const { hooks } = object.definition
  if (hooks?.initDelete || hooks?.preDelete || hooks?.postDelete || hooks?.isDeleteEnable) return true
  if (object.documents.some((field) => !isInColumn(field)) || isRecorded(object)) return true
  return object.referencedBy.some(({ object: child, field }) => {
    return field.onDelete === 'setNull' ? isRecorded(child) : field.onDelete === 'cascade' && needsRows(child, seen)
  })
}

/** Empties references to a row that goes, where that is written down; elsewhere it is the database's business. */
async function unlink(
  { context, principal }: Request,
  session: StoreSession,
  field: ReferenceModel,
  where: Filter,
  open: ReadonlySet<string>,
): Promise<void> {
  const { object } = field
  for (const rowId of await idsOf(session, object, where)) {
    if (open.has(`${object.name} ${rowId}`)) continue
    const select = wholeSelection(object)
    const old = await session.get(object, rowId, { select, where, lock: true })
    if (!old) continue
    const values = { [field.name]: '' }
    await session.update(object, rowId, values, { select: object.select([]) })
    await recordChange(context, session, { object, operation: 'update', rowId, principal, old, values })
  }
}

async function idsOf(session: StoreSession, object: ObjectModel, where: Filter): Promise<string[]> {
  const ids: string[] = []
  for await (const batch of session.search(object, { select: object.select([]), where, order: object.order })) {
    ids.push(...batch.map(({ row_id: id }) => id))
  }
  return ids
}
