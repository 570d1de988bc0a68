import { RestError } from '../../errors.js'
import { objectMetadata, type KnownRecord } from '../metadata/object-metadata.js'
import type { ActionModel } from '../actions/action.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import type { Access } from '../rights/access.js'
import type { Principal, RightLetter } from '../rights/rights.js'
import type { BusinessObjects, MetadataRequest, ObjectName } from './business-objects.js'
import type { HookContext } from './hooks.js'
import { parseRowId, wholeSelection } from './selections.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'

/** Metadata of an object, or of one record: what the user may do with it now, rows of rights and guards of hooks included. */
export function createMetadata(context: ServiceContext): Pick<BusinessObjects, 'metadata'> {
  return { metadata }

  async function metadata(
    principal: Principal,
    name: ObjectName,
    { context: purpose = 'none', rowId }: MetadataRequest = {},
  ) {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const readable = access.need('R')
    const service = context.bind(context.transaction, principal)
    const hookContext: HookContext = { object, principal, service, knex: service.knex }
    try {
      if (rowId === undefined)
        return objectMetadata(principal, object, purpose, { runs: await globalRuns(hookContext) })
      const record = await read(principal, object, parseRowId(object, rowId), readable)
      return objectMetadata(principal, object, purpose, await knownOf(access, hookContext, record))
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
  }

  async function read(
    principal: Principal,
    object: ObjectModel,
    id: string,
    where: Filter | undefined,
  ): Promise<BusinessRecord> {
    const session = await context.session(principal)
    const record = await session.get(object, id, { select: wholeSelection(object), where })
    if (!record) throw RestError.notFound(`Record "${id}" of "${object.name}"`)
    return record
  }

  async function knownOf(access: Access, hookContext: HookContext, record: BusinessRecord): Promise<KnownRecord> {
    const { object } = access
    const { principal } = hookContext
    const { hooks } = object.definition
    const recordContext = { ...hookContext, record }
    const update =
      (await covers(principal, access, 'U', record)) && (await allows(() => hooks?.isUpdateEnable?.(recordContext)))
    const del =
      (await covers(principal, access, 'D', record)) && (await allows(() => hooks?.isDeleteEnable?.(recordContext)))
    const runnable = (await covers(principal, access, 'A', record))
      ? await recordRuns(hookContext, record.row_id)
      : new Set()
    return { record, update, del, runs: (action) => runnable.has(action) }
  }

  /** Whether the right's rows hold the record. */
  async function covers(
    principal: Principal,
    access: Access,
    letter: RightLetter,
    { row_id: id }: BusinessRecord,
  ): Promise<boolean> {
    if (!access.may(letter)) return false
    const where = access.need(letter)
    if (!where) return true
    const session = await context.session(principal)
    return (await session.get(access.object, id, { select: access.object.select([]), where })) !== undefined
  }
}

/** The actions that can run on the record, which guards get as a call of the action would give it. */
async function recordRuns(hookContext: HookContext, rowId: string): Promise<ReadonlySet<ActionModel>> {
  const { object, principal, service } = hookContext
  const actions = [...object.actions.values()].filter(({ scope }) => scope !== 'global')
  const guard = object.definition.hooks?.isActionEnable
  if (!guard || actions.length === 0) return new Set(actions)
  const record = await service.get(principal, object.name, rowId)
  const open = new Set<ActionModel>()
  for (const action of actions)
    if (await allows(() => guard({ ...hookContext, record, action: action.name }))) open.add(action)
  return open
}

/** An action that only runs on the whole object is left out while its guard is closed. */
async function globalRuns(hookContext: HookContext): Promise<(action: ActionModel) => boolean> {
  const { object } = hookContext
  const guard = object.definition.hooks?.isActionEnable
  const closed = new Set<ActionModel>()
  for (const action of guard ? object.actions.values() : []) {
    const call = { ...hookContext, action: action.name, record: undefined }
    if (action.scope === 'global' && !(await allows(() => guard?.(call)))) closed.add(action)
  }
  return (action) => !closed.has(action)
}

/** A guard may also refuse by an error that says why. */
async function allows(guard: () => boolean | undefined | Promise<boolean>): Promise<boolean> {
  try {
    return (await guard()) ?? true
  } catch (error) {
    if (RestError.is(error) && error.status < 500) return false
    throw error
  }
}
