import type { Router } from '@koa/router'
import type { Context } from 'koa'
import { answerOf, storedGrant, type ActionResult, type Answer, type Caller, type Manager } from '@steward/manager-core'
import type { Access } from '../access/access.js'
import { callerOf } from '../access/caller-of.js'
import type { Principal } from '../access/principal.js'
import { whileItHolds } from '../access/while-it-holds.js'
import type { Addressing } from '../addressing.js'
import { createRouter } from '../create-router.js'
import { HttpError } from '../http-error.js'
import { httpStatusOf } from '../send-errors.js'
import { expectReader } from '../server-limits.js'
import type { ServerState } from '../server-state.js'
import type { AnswerCache } from './answer-cache.js'
import { termsFor } from './api-terms.js'
import { followOperation } from './follow-operation.js'
import { readCall, secretInputs, type ApiCall } from './read-call.js'
import { sendEvents, wantsEvents } from './send-events.js'
import { sendFile } from './send-file.js'

export interface ApiRouterOptions {
  readonly manager: Manager
  readonly access: Access
  readonly addressing: Addressing
  readonly cache: AnswerCache
  /** Aborted when the server ends: streams end then, answers are waited for. */
  readonly closing: AbortSignal
}

/** `GET /api?action=…`. Source: docs/spec/instances-manager.md, "HTTP API". */
export function apiRouter({ manager, access, addressing, cache, closing }: ApiRouterOptions): Router<ServerState> {
  return createRouter(addressing).all('api', '/api{/}', call)

  async function call(context: Context): Promise<void> {
    if (context.method !== 'GET')
      throw new HttpError(405, 'ERR_USAGE', 'The API takes GET only.', { headers: { Allow: 'GET' } })
    context.set('Cache-Control', 'no-store')
    const gone = new AbortController()
    context.res.once('close', () => gone.abort(new Error('The client is gone.')))
    const { ticket, ...query } = context.query
    const principal = typeof ticket === 'string' ? access.redeemTicket(ticket) : await access.authenticate(context.req)
    if (principal.session === undefined) context.state.apiPrefix = addressing.prefix
    const asked = readCall(query, context.get(secretInputs))
    access.authorize(principal, asked.action)
    if (ticket !== undefined && (asked.action.mutating || asked.isAsync))
      throw new HttpError(403, 'ERR_ACCESS', 'A ticket is for downloads.')
    // What costs much, too.
    if (asked.action.mutating || asked.isAsync) access.guard(context.req, principal, asked.action.name)
    if (isCached(asked)) return byCache(context, asked, principal)
    expectReader(context.req, false)
    const signal = wantsEvents(context) ? whileItHolds(principal, AbortSignal.any([gone.signal, closing])) : gone.signal
    const caller = callerWith(principal, asked, signal)
    if (isForWorker(asked)) return byWorker(context, asked, caller)
    await send(context, asked, await manager.perform(asked.action.name, asked.input, caller), signal)
  }

  /** Pages and programs ask for the list all the time, and it is long. */
  async function byCache(context: Context, call: ApiCall, principal: Principal): Promise<void> {
    const grant = storedGrant(principal.grant)
    const inputs = Object.entries(call.input).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const key = JSON.stringify([call.action.name, inputs, grant, call.prettyPrint, context.state.apiPrefix])
    context.body = await cache.get(key, async () =>
      // It is for all who ask: no caller ends it.
      textOf(context, call, answerOf(await manager.perform(call.action.name, call.input, callerWith(principal, call)))),
    )
    context.type = 'json'
  }

  async function byWorker(context: Context, call: ApiCall, caller: Caller): Promise<void> {
    const { runs } = manager.context
    const id = await manager.begin(call.action.name, call.input, caller)
    if (call.isAsync) {
      context.status = 202
      const title = runs.find(id)?.title ?? call.action.name
      return sendAnswer(context, call, { status: 0, message: `${title}: started.`, operation: id })
    }
    const answer = await runs.answer(id, caller.signal as AbortSignal)
    if (!answer) throw new HttpError(500, 'ERR_FAILED', 'The result is no longer available.')
    sendAnswer(context, call, { ...answer, operation: answer['operation'] ?? id })
  }

  async function send(context: Context, call: ApiCall, result: ActionResult, signal: AbortSignal): Promise<void> {
    if (result.file) return sendFile(context, result.file, signal)
    if (result.stream) {
      if (!wantsEvents(context))
        throw new HttpError(406, 'ERR_USAGE', 'Progress is sent as events. Send the header Accept: text/event-stream.')
      return sendEvents(context, lines(result.stream))
    }
    const { follows } = call.action
    if (follows !== undefined && wantsEvents(context))
      return followOperation(context, manager.context.runs, String(call.input[follows]), signal)
    sendAnswer(context, call, answerOf(result))
  }
}

function callerWith(principal: Principal, call: ApiCall, signal?: AbortSignal): Caller {
  return { ...callerOf(principal), dryRun: call.isDryRun, waitMs: call.waitMs, ...(signal && { signal }) }
}

function isCached({ action, isAsync, isDryRun }: ApiCall): boolean {
  return action.cached === true && !isAsync && !isDryRun
}

/** What changes something outlives the server; what takes long may, unless its answer is for this caller alone. */
function isForWorker({ action: { mutating, direct, ability }, isAsync, isDryRun }: ApiCall): boolean {
  if (isDryRun || direct) return false
  return mutating || (isAsync && ability !== 'sensitive')
}

async function* lines(stream: AsyncIterable<string>) {
  for await (const line of stream) yield { event: 'line', data: { line } }
}

function sendAnswer(context: Context, call: Pick<ApiCall, 'prettyPrint'>, answer: Answer): void {
  if (answer.code !== undefined) context.status = httpStatusOf(answer.code)
  expectReader(context.req, true)
  context.body = textOf(context, call, answer)
  context.type = 'json'
}

function textOf(context: Context, { prettyPrint }: Pick<ApiCall, 'prettyPrint'>, answer: Answer): string {
  return JSON.stringify(termsFor(context, answer), undefined, prettyPrint ? 2 : undefined)
}
