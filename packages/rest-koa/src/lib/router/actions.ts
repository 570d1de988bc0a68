import { checkNeed } from '@steward/rest-core'
import type { ActionRequest, ActionResult, BusinessObjects, NeededRight } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import { refuseForeignPage } from '../http/refuse-foreign-page.js'
import type { OfKind } from './address.js'
import { readParametersBody } from './body.js'
import { publicBase } from './call.js'
import type { RestCall } from './call.js'
import { countRecords, readNamedTarget, refuseSearch } from './named-target.js'
import type { NamedTarget } from './named-target.js'
import type { RequestQuery } from './read-query.js'
import { idempotencyKey, write } from './writing.js'

/** Runs an action. Source: docs/spec/rest-service.md, "Custom action"; docs/spec/wire-decisions.md, "action". */
export async function runAction(
  call: RestCall,
  target: OfKind<'object' | 'row' | 'action'>,
  query: RequestQuery,
): Promise<void> {
  const { context, service, principal, respond } = call
  if (context.req.method === 'GET') refuseForeignPage(context, 'run an action')
  const named = readNamedTarget(call, target, query, '_action')
  if (query.count) return countRecords(call, 'actions', named, readRequest(service, named, query, {}).search)
  const { object, rowId, name: action } = named
  const needs: NeededRight[] = [{ object, letters: ['A'], rowId, action }]
  checkNeed(service.model, principal, needs[0] as NeededRight)
  const body = context.req.method === 'POST' ? await readParametersBody(context, call.body) : {}
  const request = readRequest(service, named, query, body)
  const run = async (runner: BusinessObjects): Promise<ActionResult> =>
    runner.action(principal, named.object, named.name, request)
  const { background: isBackground = false, repeatable: repeat = false } =
    service.model.object(named.object).actions.get(named.name)?.definition ?? {}
  if (query.dryRun || !isBackground) {
    const work = async (inside: BusinessObjects) => ({ body: JSON.stringify(await run(inside)) })
    return write(call, query, { needs, body, repeat, work })
  }
  if (idempotencyKey(context) !== undefined)
    throw new RestError('ERR_BAD_REQUEST', 'A background action takes no Idempotency-Key: it has no answer to keep.')
  const answer = await run(service)
  if ('result' in answer) return send(context, respond, 200, textHeaders(), JSON.stringify(answer))
  const location = `${publicBase(call)}/_task/${answer.task.id}`
  send(context, respond, 202, [...textHeaders(), 'Location', location], JSON.stringify(answer.task))
}

/**
 * Plain names of the address that the action declares as parameters are its own, also when a field has the same name; the
 * others are filters of a global call, and unknown parameters of one about a record. Not specified.
 */
function readRequest(
  service: BusinessObjects,
  { object, rowId, name }: NamedTarget,
  query: RequestQuery,
  body: Readonly<Record<string, unknown>>,
): ActionRequest {
  const declared = new Set(
    service.model
      .object(object)
      .actions.get(name)
      ?.parameters.map((parameter) => parameter.name),
  )
  // Without a prototype, since clients choose the names.
  const parameters = Object.assign(Object.create(null), body) as Record<string, unknown>
  const filters = Object.create(null) as Record<string, string | readonly string[]>
  for (const [key, value] of Object.entries(query.filters ?? {})) {
    if (Object.hasOwn(body, key))
      throw new RestError('ERR_BAD_REQUEST', `Parameter "${key}" is given in the address and in the body.`)
    if (declared.has(key) || rowId !== undefined) parameters[key] = value
    else filters[key] = value
  }
  if (rowId === undefined) {
    const { expression, order, page, pageSize } = query
    refuseBlank(filters)
    return { parameters, search: { filters, expression, order, page, pageSize } }
  }
  refuseSearch(query)
  return { parameters, rowId }
}

/**
 * A filter without a value finds all records: an action would run on them where a program meant one. Not specified.
 *
 * @throws RestError ERR_BAD_REQUEST
 */
function refuseBlank(filters: Readonly<Record<string, string | readonly string[]>>): void {
  const blank = Object.entries(filters).find(([, value]) => [value].flat().some((one) => /^[\s;]*$/.test(one)))
  if (!blank) return
  throw new RestError(
    'ERR_BAD_REQUEST',
    `Filter "${blank[0].slice(0, 100)}" is empty, so the action would run on all records. Give it a value, or leave it out to mean all; "is null" finds records without one.`,
  )
}

/** How far a background action is. */
export async function task({ context, service, principal, respond }: RestCall, { id }: OfKind<'task'>): Promise<void> {
  send(context, respond, 200, textHeaders(), JSON.stringify(await service.task(principal, id)))
}

/** Asks a background action to stop. */
export async function cancelTask(
  { context, service, principal, respond }: RestCall,
  { id }: OfKind<'task'>,
): Promise<void> {
  send(context, respond, 200, textHeaders(), JSON.stringify(await service.cancelTask(principal, id)))
}
