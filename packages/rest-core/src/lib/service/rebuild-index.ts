import { setImmediate } from 'node:timers/promises'
import { RestError } from '../../errors.js'
import { recordWords } from '../index-search/record-words.js'
import type { BusinessRecord, IndexModel, ObjectModel, Selection } from '../model/model.js'
import type { StoreSession } from '../store.js'
import type { ObjectName, RebuildOptions } from './business-objects.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'
import { runTransaction } from './transaction.js'

/** Rows that are read at once. */
const pageRows = 1_000
/** Rows that are written in one transaction: others wait for it. */
const mostWritten = 100

/**
 * Goes through the rows of indexed objects by row id and writes the words of those that are not in step. Words are worked
 * out again under a lock, so that what others write meanwhile stays; nothing else of a row is touched.
 */
export async function rebuildIndex(
  context: ServiceContext,
  name: ObjectName | undefined,
  options: RebuildOptions = {},
): Promise<number> {
  let changed = 0
  for (const object of name === undefined ? context.model.objects.values() : [context.resolve(name)]) {
    const { index } = object
    if (index && !options.signal?.aborted) changed += await rebuild(context, object, index, options)
    else if (!index && name !== undefined)
      throw new RestError('ERR_BAD_REQUEST', `Object "${object.name}" has no index to build.`)
  }
  return changed
}

async function rebuild(
  context: ServiceContext,
  object: ObjectModel,
  index: IndexModel,
  { onProgress, signal }: RebuildOptions,
): Promise<number> {
  const select: Selection = { object, key: 'index', fields: [object.id, ...index.fields, index.words] }
  const order = [{ field: 'row_id', descending: false }]
  let [rows, changed] = [0, 0]
  let last: string | undefined
  try {
    for (;;) {
      const where = last === undefined ? undefined : ({ op: '>', field: 'row_id', value: last } as const)
      const page: BusinessRecord[] = []
      const reader = await context.session(undefined)
      for await (const batch of reader.search(object, { select, where, order, limit: pageRows })) page.push(...batch)
      const stale = page.filter((record) => isStale(index, record)).map(({ row_id: id }) => id)
      for (let at = 0; at < stale.length; at += mostWritten) {
        if (signal?.aborted) break
        changed += await inTransaction((session) =>
          correct(session, object, index, select, stale.slice(at, at + mostWritten)),
        )
      }
      rows += page.length
      last = page.at(-1)?.row_id
      const isEnd = page.length < pageRows || signal?.aborted === true
      if (isEnd || (rows / pageRows) % 10 === 0) onProgress?.({ object: object.name, rows, changed })
      if (isEnd) return changed
      // Stores whose driver is synchronous would block all other work.
      await setImmediate()
    }
  } catch (error) {
    throw await translate(error, { object, operation: 'update' }, context.store)
  }

  async function inTransaction<T>(work: (session: StoreSession) => Promise<T>): Promise<T> {
    if (context.transaction) return work(await context.transaction.session())
    return runTransaction(context, async (transaction) => work(await transaction.session()), { repeat: true })
  }
}

/** Writes the words of rows that are still there and still not in step; the number of them. */
async function correct(
  session: StoreSession,
  object: ObjectModel,
  index: IndexModel,
  select: Selection,
  rowIds: readonly string[],
): Promise<number> {
  let changed = 0
  for (const rowId of rowIds) {
    const record = await session.get(object, rowId, { select, lock: true })
    if (!record || !isStale(index, record)) continue
    await session.update(
      object,
      rowId,
      { [index.words.name]: recordWords(index, record) },
      { select: object.select([]) },
    )
    changed += 1
  }
  return changed
}

function isStale(index: IndexModel, record: BusinessRecord): boolean {
  return record[index.words.name] !== recordWords(index, record)
}
