import { RestError, mostMessages } from '../../errors.js'
import { sizeOf } from '../memory-limits.js'
import { createPauses } from '../pauses.js'
import type { Principal } from '../rights/rights.js'
import type { BatchItem, BatchOptions, BatchResult, BusinessObjects, ObjectName } from './business-objects.js'
import { retryDuplicate } from './retry.js'
import type { ServiceContext } from './service-context.js'

/** Not specified; chosen because a transaction that long keeps others waiting for seconds. */
const mostItems = 10_000

/** Nothing shows afterwards how often one was done. Not specified; chosen as what a form or a preview needs. */
const mostDryItems = 1_000

const actions: readonly string[] = ['create', 'update', 'delete', 'upsert'] satisfies BatchItem['action'][]

/**
 * Several writes in one call.
 *
 * @param timeoutMs How long a batch that is all or nothing may take where all other writers wait for it; 0: no limit.
 */
export function createBatch(context: ServiceContext, timeoutMs: number): Pick<BusinessObjects, 'batch'> {
  const keepsOthers = timeoutMs > 0 && !context.store.capabilities.concurrentWriters

  return { batch }

  async function batch(
    principal: Principal,
    name: ObjectName,
    items: readonly BatchItem[],
    { atomic = true, dryRun = false, signal, ...answer }: BatchOptions = {},
  ): Promise<readonly BatchResult[]> {
    const object = context.resolve(name)
    checkItems(items, dryRun ? mostDryItems : mostItems)
    const service = context.bind(context.transaction)
    const { memory } = answer
    const before = memory?.bytes ?? 0
    if (!atomic) {
      if (context.transaction) throw new RestError('ERR_BAD_REQUEST', 'Inside a transaction a batch is all or nothing.')
      const results: BatchResult[] = []
      let messages = 0
      let full: BatchResult | undefined
      const pause = createPauses()
      for (const item of items) {
        await pause()
        refuseGone(signal)
        const result = full ?? (await tryItem(item, mostMessages - messages))
        if ('messages' in result) messages += result.messages.length
        const refusal = full ? undefined : await refusalOf(result)
        full ??= refusal
        results.push(refusal && 'record' in result ? { status: 200, record: { row_id: result.record.row_id } } : result)
      }
      return results
    }
    if (!context.transaction?.isOpen)
      await service.hashPasswords(
        principal,
        object.name,
        items.map(({ values }) => values),
        { signal },
      )
    const all = () =>
      service.transaction(
        async (inside) => {
          const results: BatchResult[] = []
          const pause = createPauses()
          await memory?.hold(before)
          let began: number | undefined
          for (const [at, item] of items.entries()) {
            await pause()
            refuseGone(signal)
            if (began !== undefined && keepsOthers && performance.now() - began > timeoutMs)
              throw tooLong(timeoutMs, at, items.length)
            try {
              const record = await runItem(inside, item)
              // The first item may have waited for other writers.
              began ??= performance.now()
              // Others may wait for the end of the transaction.
              memory?.addNow(sizeOf(record))
              results.push({ status: 200, record })
            } catch (error) {
              throw ofItem(error, at)
            }
          }
          return results
        },
        { repeat: true, principal, signal },
      )
    return context.transaction ? all() : retryDuplicate(all)

    /** What all items that follow get, which are not written, when the answer has no room for a record. */
    async function refusalOf(result: BatchResult): Promise<BatchResult | undefined> {
      if (!('record' in result)) return undefined
      try {
        await memory?.add(sizeOf(result.record))
        return undefined
      } catch (error) {
        if (!RestError.is(error)) throw error
        const { status, code } = error
        const text = 'It was not written: the answer would be too large. Ask for fewer fields, and send it again.'
        return { status, error: text, code, messages: [] }
      }
    }

    /** @param most Messages that the answer still takes; the error says what is wrong first. */
    async function tryItem(item: BatchItem, most: number): Promise<BatchResult> {
      try {
        const record = await (dryRun
          ? service.dryRun((inside) => runItem(inside, item), { repeat: true, principal, signal })
          : runItem(service, item))
        return { status: 200, record }
      } catch (error) {
        if (RestError.is(error) && error.status !== 500)
          return {
            status: error.status,
            error: error.message,
            code: error.code,
            messages: error.messages.slice(0, most),
          }
        context.onError(error)
        return { status: 500, error: 'It failed inside the server.', code: 'ERR_INTERNAL', messages: [] }
      }
    }

    async function runItem(inside: BusinessObjects, item: BatchItem) {
      const { action, values = {} } = item
      if (action === 'create') return inside.create(principal, object.name, values, answer)
      if (action === 'upsert') return (await inside.upsert(principal, object.name, values, answer)).record
      const rowId = item.row_id ?? (await inside.findByKey(principal, object.name, keyIn(values)))
      if (action === 'delete') return inside.delete(principal, object.name, rowId)
      return inside.update(principal, object.name, rowId, values, answer)
    }

    /** The functional key that stands among the values. */
    function keyIn(values: unknown) {
      const given = values as Readonly<Record<string, never>> | null
      return object.key.map((field) => given?.[field.name] ?? '')
    }
  }
}

/** @throws RestError ERR_BAD_REQUEST, ERR_TOO_LARGE */
function checkItems(items: readonly BatchItem[], most: number): void {
  if (!Array.isArray(items)) throw wrong('The body must be a JSON array of items {"action", "row_id", "values"}.')
  if (items.length > most) {
    const what = most === mostItems ? '' : ' of a dry run'
    throw new RestError('ERR_TOO_LARGE', `The batch has ${items.length} items, ${most} is the limit${what}.`)
  }
  for (const [at, item] of (items as readonly unknown[]).entries()) {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw wrong(`Item ${at} must be an object {"action", "row_id", "values"}.`, at)
    checkItem(item as Readonly<Record<string, unknown>>, at)
  }
}

function refuseGone(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new RestError('ERR_UNAVAILABLE', 'The client no longer waits for the batch.')
}

function tooLong(timeoutMs: number, done: number, all: number): RestError {
  const text = `The batch takes longer than ${timeoutMs / 1000} seconds, in which others cannot write: ${done} of ${all} items were done, and nothing was kept. Send it in parts.`
  return new RestError('ERR_TOO_LARGE', text)
}

function checkItem(item: Readonly<Record<string, unknown>>, at: number): void {
  const { action, row_id: rowId, values } = item
  const other = Object.keys(item).find((name) => name !== 'action' && name !== 'row_id' && name !== 'values')
  if (other !== undefined)
    throw wrong(`Item ${at} has "${other.slice(0, 100)}"; it may have "action", "row_id" and "values".`, at)
  if (typeof action !== 'string' || !actions.includes(action)) {
    const shown = action === undefined ? 'no action' : `the action ${JSON.stringify(action).slice(0, 100)}`
    throw wrong(`Item ${at} has ${shown}; give one of ${actions.join(', ')}.`, at)
  }
  if (rowId !== undefined && typeof rowId !== 'string')
    throw wrong(`Item ${at} has a "row_id" that is not a string.`, at)
  if (rowId !== undefined && (action === 'create' || action === 'upsert'))
    throw wrong(`Item ${at} has a "row_id", which a record gets when it is created; leave it out.`, at)
  if (action !== 'delete' && values === undefined) throw wrong(`Item ${at} has no "values".`, at)
}

function wrong(text: string, item?: number): RestError {
  return new RestError(
    'ERR_BAD_REQUEST',
    text,
    item === undefined ? {} : { messages: [{ code: 'ERR_BAD_REQUEST', item, text }] },
  )
}

/** The same error, with its item named in every message. */
function ofItem(error: unknown, item: number): unknown {
  if (!RestError.is(error)) return error
  const { code, message, messages, cause, retryAfterSeconds } = error
  const own = messages.length > 0 ? messages : [{ code, text: message }]
  return new RestError(code, `Item ${item}: ${message}`, {
    messages: own.map((each) => ({ ...each, item })),
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
