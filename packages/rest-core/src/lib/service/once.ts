import { RestError, StoreError } from '../../errors.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore, StoreSession } from '../store.js'
import type { BusinessObjects, KeptAnswer, NeededRight, OnceRequest, RepeatOptions } from './business-objects.js'
import { checkNeed } from './check-need.js'
import { missingRow } from './missing-row.js'
import { parseRowId } from './selections.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'
import { callerOf } from './caller-of.js'
import { runTransaction } from './transaction.js'

/** How long an answer is kept. Not specified; chosen because clients give up much earlier. */
const keptMs = 24 * 60 * 60 * 1000

/** Entries that have ended and go with each new one: more than come, so that they never pile up. */
const removedWithEach = 2

const attempts = 3

/** Another request with the same key has written its entry first. */
class KeyTaken extends Error {}

/** Requests that this process is carrying out, per store by user and key: repeats wait here, without a connection. */
const runningOf = new WeakMap<ObjectStore, Map<string, Promise<unknown>>>()

/**
 * Carries out a request once: the entry of its key is the first thing that its transaction writes, so that a second one
 * waits for its end (databases let no one else write the same key meanwhile), and the answer is the last.
 */
export function createOnce(context: ServiceContext): Pick<BusinessObjects, 'once'> {
  return {
    async once(principal, request, work, options) {
      const object = keysOf(context)
      for (const need of request.needs ?? []) checkNeed(context.model, principal, need)
      const name = JSON.stringify([userOf(principal), request.key])
      let running = runningOf.get(context.store)
      if (!running) runningOf.set(context.store, (running = new Map()))
      while (running.has(name)) await running.get(name)
      const result = carryOut(object, principal, request, work, options)
      const ended = result.catch(() => {}).finally(() => running.delete(name))
      running.set(name, ended)
      return result
    },
  }

  async function carryOut(
    object: ObjectModel,
    principal: Principal,
    request: OnceRequest,
    work: (service: BusinessObjects) => Promise<KeptAnswer>,
    options: RepeatOptions | undefined,
  ): Promise<{ readonly replayed: boolean; readonly answer: KeptAnswer }> {
    try {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const entry = await findEntry(await context.session(principal), object, principal, request)
        if (entry) {
          for (const need of request.needs ?? []) await checkRow(need, principal)
          return { replayed: true, answer: answerOf(entry, request) }
        }
        const answer = await run(object, principal, request, work, options)
        if (answer) return { replayed: false, answer }
      }
    } catch (error) {
      throw await translate(error, undefined, context.store)
    }
    throw new RestError('ERR_CONFLICT', 'Another request with this Idempotency-Key is in progress.', {
      retryAfterSeconds: 1,
    })
  }

  /** @throws RestError when the record is there and not covered by the right */
  async function checkRow(need: NeededRight, principal: Principal): Promise<void> {
    const { access, where } = checkNeed(context.model, principal, need)
    if (!where || need.rowId === undefined) return
    const { object } = access
    const id = parseRowId(object, need.rowId)
    const select = object.select([])
    const session = await context.session(principal)
    if (await session.get(object, id, { select, where })) return
    if (await session.get(object, id, { select })) throw await missingRow(session, access, id)
  }

  /** `undefined` when the key turns out to be taken. */
  async function run(
    object: ObjectModel,
    principal: Principal,
    request: OnceRequest,
    work: (service: BusinessObjects) => Promise<KeptAnswer>,
    options: RepeatOptions | undefined,
  ): Promise<KeptAnswer | undefined> {
    try {
      return await runTransaction(
        context,
        async (transaction) => {
          const session = await transaction.session()
          const id = await insertEntry(session, object, principal, request)
          const answer = await work(context.bind(transaction))
          const { status, headers, body } = answer
          const values = { idk_status: status, idk_headers: headers, idk_answer: body }
          await session.update(object, id, values, { select: object.select([]) })
          return answer
        },
        { ...options, caller: callerOf(principal) },
      )
    } catch (error) {
      if (error instanceof KeyTaken) return undefined
      throw error
    }
  }

  async function insertEntry(
    session: StoreSession,
    object: ObjectModel,
    principal: Principal,
    { key, fingerprint }: OnceRequest,
  ): Promise<string> {
    const values = {
      idk_user: userOf(principal),
      idk_key: key,
      idk_request: fingerprint,
      idk_expires: context.clock().getTime() + keptMs,
    }
    try {
      return (await session.insert(object, values, object.select([]))).row_id
    } catch (error) {
      throw StoreError.is(error) && error.code === 'unique' ? new KeyTaken() : error
    }
  }

  /** The entry of this key, if it has not ended; a few that have are removed on the way. */
  async function findEntry(
    store: StoreSession,
    object: ObjectModel,
    principal: Principal,
    { key }: OnceRequest,
  ): Promise<BusinessRecord | undefined> {
    const now = context.clock().getTime()
    const order = [{ field: 'row_id', descending: false }]
    const ended = { op: '<=', field: 'idk_expires', value: now } as const
    const own = {
      op: 'and',
      terms: [
        { op: '=', field: 'idk_user', value: userOf(principal) },
        { op: '=', field: 'idk_key', value: key },
      ],
    } as const
    for await (const batch of store.search(object, {
      select: object.select([]),
      where: ended,
      order: [{ field: 'idk_expires', descending: false }, ...order],
      limit: removedWithEach,
    }))
      for (const { row_id: id } of batch) await store.delete(object, id)
    const select = object.select(['idk_request', 'idk_status', 'idk_headers', 'idk_answer', 'idk_expires'])
    for await (const [entry] of store.search(object, { select, where: own, order, limit: 1 })) {
      if (!entry || Number(entry['idk_expires']) > now) return entry
      await store.delete(object, entry.row_id)
    }
    return undefined
  }
}

function keysOf({ model, transaction }: ServiceContext): ObjectModel {
  if (transaction) throw new RestError('ERR_BAD_REQUEST', 'An Idempotency-Key cannot be used inside a transaction.')
  const object = model.objects.get('IdempotencyKey')
  if (object) return object
  throw new RestError(
    'ERR_BAD_REQUEST',
    'This service keeps no answers: its model lacks the system object "IdempotencyKey". Leave Idempotency-Key out.',
  )
}

function answerOf(entry: BusinessRecord, { fingerprint, key }: OnceRequest): KeptAnswer {
  if (entry['idk_request'] !== fingerprint) {
    throw new RestError(
      'ERR_CONFLICT',
      `The Idempotency-Key "${key}" was used for another request; a new request needs a new key.`,
    )
  }
  return {
    status: Number(entry['idk_status']),
    headers: (entry['idk_headers'] ?? {}) as KeptAnswer['headers'],
    body: String(entry['idk_answer']),
  }
}

function userOf({ userId, login }: Principal): string {
  return userId || login
}
