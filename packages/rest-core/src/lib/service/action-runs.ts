import { RestError, StoreError } from '../../errors.js'
import type { ActionContext, ActionModel } from '../actions/action.js'
import { jsonResult } from '../actions/json-result.js'
import { readParameters } from '../actions/read-parameters.js'
import type { FieldValue, JsonValue } from '../fields/field-value.js'
import { and } from '../filter/combine.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { accessOf } from '../rights/access.js'
import { allRights } from '../rights/create-rights.js'
import type { Principal, Rights } from '../rights/rights.js'
import type {
  ActionRequest,
  ActionResult,
  BusinessObjects,
  ObjectName,
  SearchRequest,
  Task,
} from './business-objects.js'
import { callerOf } from './caller-of.js'
import { checkSearch } from './reads.js'
import { checkScope } from './scope.js'
import { parseRowId } from './selections.js'
import type { TaskJournalListener } from './task-journal.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'
import type { TaskControl, TaskRun } from './tasks.js'
import { runTransaction } from './transaction.js'
import type { LazyTransaction, RunOptions } from './transaction.js'

/** One call of an action on its way. */
interface Run {
  readonly object: ObjectModel
  readonly access: Access
  readonly principal: Principal
  readonly action: ActionModel
  readonly parameters: Readonly<Record<string, FieldValue>>
  readonly rowId: string | undefined
  readonly search: SearchRequest | undefined
  /** Rows that the right to run actions covers. */
  readonly where: Filter | undefined
}

/** Custom actions: run at once as one transaction, or in the background as a task. */
export function createActionRuns(
  context: ServiceContext,
): Pick<BusinessObjects, 'action' | 'task' | 'cancelTask'> & TaskAdoption {
  const { tasks } = context
  return {
    action: action as BusinessObjects['action'],
    task: (principal, id) => translated(() => tasks.get(principal, id, maySeeAll(principal))),
    cancelTask: (principal, id) => translated(() => tasks.cancel(principal, id, maySeeAll(principal))),
    adoptTask,
  }

  async function action(
    principal: Principal,
    name: ObjectName,
    actionName: string,
    request: ActionRequest = {},
  ): Promise<ActionResult> {
    const run = prepare(principal, name, actionName, request)
    const { definition } = run.action
    tasks.closing.throwIfAborted()
    // In a transaction the caller waits for all of it, and may undo it.
    if (definition.background && !context.transaction && !context.outer) return { task: await startTask(run, request) }
    const control: TaskControl = { signal: AbortSignal.any([tasks.closing]), progress: () => {} }
    const repeat = definition.repeatable
    return {
      result: await inTransaction((transaction) => execute(run, transaction, control), {
        repeat,
        caller: callerOf(principal),
      }),
    }
  }

  /** Reads a call, and refuses what the user may not do. */
  function prepare(
    principal: Principal,
    name: ObjectName,
    actionName: string,
    { rowId, parameters = {}, search }: ActionRequest,
  ): Run {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const where = access.need('A')
    const found = object.actions.get(actionName)
    if (!found) throw RestError.notFound(`Action "${actionName.slice(0, 100)}" of "${object.name}"`)
    if (!access.allows('actions', actionName))
      throw new RestError('ERR_RIGHT', `You may not run action "${actionName}" of "${object.name}".`)
    checkScope(`Action "${actionName}"`, found.scope, object, rowId)
    const run: Run = {
      object,
      access,
      principal,
      action: found,
      parameters: readParameters(found, parameters, principal, context.clock()),
      rowId: rowId === undefined ? undefined : parseRowId(object, rowId),
      search,
      where,
    }
    if (rowId === undefined && search) checkSearch(access, search)
    return run
  }

  /** Refuses what can be refused at once; the rest happens when it is its turn. */
  async function startTask(run: Run, request: ActionRequest): Promise<Task> {
    await guard(run, context.bind(undefined, run.principal), await readRecord(run))
    return translated(() => tasks.start(taskOf(run, request)))
  }

  async function adoptTask(
    task: Task,
    request: ActionRequest,
    principal: Principal | undefined,
  ): Promise<Pick<Task, 'error'> | undefined> {
    const isResumable = context.model.objects.get(task.object)?.actions.get(task.action)?.definition.resumable
    if (!isResumable) return refusal('The server process that ran the action has ended. Start it again.')
    if (!principal) return refusal('The server process that ran the action has ended, and its user is not active.')
    try {
      tasks.adopt(task, taskOf(prepare(principal, task.object, task.action, request), request))
      return undefined
    } catch (error) {
      if (RestError.is(error)) return { error: { code: error.code, message: error.message } }
      throw error
    }
  }

  function taskOf(run: Run, request: ActionRequest): TaskRun {
    const { object, action, principal } = run
    return {
      object: object.name,
      action: action.name,
      principal,
      request,
      isResumable: action.definition.resumable ?? false,
      async run(control) {
        try {
          const now = await tasks.principalNow(principal)
          // Checked again: what was granted at the call may be withdrawn since.
          const current = now === principal ? run : prepare(now, object.name, action.name, request)
          return await execute(current, undefined, control)
        } catch (error) {
          throw await translate(error, undefined, context.store)
        }
      },
      explain(error) {
        if (RestError.is(error) && error.status !== 500) return { code: error.code, message: error.message }
        context.onError(error)
        return { code: 'ERR_INTERNAL', message: `Action "${action.name}" failed inside the server.` }
      },
    }
  }

  async function translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await translate(error, undefined, context.store)
    }
  }

  async function execute(run: Run, transaction: LazyTransaction | undefined, control: TaskControl): Promise<JsonValue> {
    const { object, principal, action, parameters } = run
    const service = context.bind(transaction, principal)
    const record = await readRecord(run)
    await guard(run, service, record)
    // Code that listens for its end would not hear of one that came before.
    control.signal.throwIfAborted()
    const returned = await runCode(action, {
      object,
      principal,
      service,
      knex: service.knex,
      action: action.name,
      record,
      parameters,
      records: () => records(run, service, control.signal),
      ...control,
    })
    try {
      return jsonResult(returned)
    } catch (cause) {
      const text = `Action "${action.name}" of "${object.name}" must return a text or a JSON value: ${(cause as Error).message}.`
      throw new RestError('ERR_INTERNAL', text, { cause })
    }
  }

  /** The record of a record-level call, which must be readable and covered by the right to run actions. */
  async function readRecord({ object, principal, rowId, where }: Run): Promise<BusinessRecord | undefined> {
    if (rowId === undefined) return undefined
    const record = await context.bind(context.transaction).get(principal, object.name, rowId)
    if (!where) return record
    const covered = await (await context.session(principal)).get(object, rowId, { select: object.select([]), where })
    if (!covered) throw new RestError('ERR_RIGHT', `You may not run actions of record "${rowId}" of "${object.name}".`)
    return record
  }

  async function guard(
    { object, principal, action }: Run,
    service: BusinessObjects,
    record: BusinessRecord | undefined,
  ): Promise<void> {
    const { isActionEnable } = object.definition.hooks ?? {}
    if (
      isActionEnable &&
      !(await isActionEnable({ object, principal, service, knex: service.knex, action: action.name, record }))
    )
      throw new RestError('ERR_RIGHT', `Action "${action.name}" of "${object.name}" may not run now.`)
  }

  async function inTransaction<T>(work: (transaction: LazyTransaction) => Promise<T>, options: RunOptions): Promise<T> {
    try {
      if (context.transaction) return await work(context.transaction)
      return await runTransaction(context, work, options)
    } catch (error) {
      throw await translate(error, undefined, context.store)
    }
  }
}

/** Tasks of processes that have ended. */
export interface TaskAdoption {
  /** Runs one again when its action is resumable. @returns the error that it fails with, otherwise. */
  readonly adoptTask: TaskJournalListener['adopt']
}

function refusal(message: string): Pick<Task, 'error'> {
  return { error: { code: 'ERR_UNAVAILABLE', message } }
}

/** Who may do everything may also see what others started. */
function maySeeAll({ rights }: Principal): boolean {
  return rights === allRights
}

/** What the code of an action throws that is not an error of the service says nothing to clients. */
async function runCode(action: ActionModel, actionContext: ActionContext): Promise<unknown> {
  try {
    return await action.definition.run(actionContext)
  } catch (error) {
    if (RestError.is(error) || StoreError.is(error)) throw error
    const text = `Action "${action.name}" of "${actionContext.object.name}" failed: ${error instanceof Error ? error.message : String(error)}`
    throw new RestError('ERR_INTERNAL', text, { cause: error })
  }
}

async function records(
  { object, principal, search, rowId, where }: Run,
  service: BusinessObjects,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly BusinessRecord[]>> {
  if (rowId !== undefined)
    throw new RestError('ERR_INTERNAL', 'A record-level call has no records(); its record is in the context.')
  const reader = where ? { ...principal, rights: narrowed(principal.rights, object, where) } : principal
  return until(signal, await service.search(reader, object.name, { ...search, signal }))
}

/** The same rights, but reading the object only where the filter matches too. */
export function narrowed(rights: Rights, object: ObjectModel, where: Filter): Rights {
  const own = rights.object(object.name)
  if (!own?.letters.has('R')) return rights
  const letters = new Map(own.letters).set('R', and(own.letters.get('R'), where))
  return { object: (name) => (name === object.name ? { ...own, letters } : rights.object(name)) }
}

async function* until<T>(signal: AbortSignal, items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted()
    yield item
  }
}
