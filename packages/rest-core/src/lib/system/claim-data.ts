import { createLease } from '../events/lease.js'
import { prepareWebhooks } from '../events/prepare-webhooks.js'
import { timestamp } from '../fields/temporal.js'
import type { Filter } from '../filter/filter.js'
import type { Model } from '../model/model.js'
import type { Task } from '../service/business-objects.js'
import type { ObjectStore } from '../store.js'

export interface ClaimDataOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  /** Different for each instance, and the same for all processes of one. */
  readonly instance: string
}

const keepMs = 3_600_000

/**
 * Writes down which instance the data belong to. In data that were copied from another one, background actions that are
 * open there fail, and webhooks do not get what they have not got: the other instance does both. Await it before
 * the service is made.
 *
 * @returns whether the data were those of another instance
 */
export async function claimData({ model, store, instance }: ClaimDataOptions): Promise<boolean> {
  const mark = createLease({ model, store, name: 'instance' })
  const before = await mark.read()
  if (before.owner === instance) return false
  const isCopy = before.owner !== ''
  if (isCopy) {
    await endTasks(model, store)
    await prepareWebhooks({ model, store, muted: true })
  }
  // Last: what is interrupted is done again.
  await mark.take(instance, before)
  return isCopy
}

async function endTasks(model: Model, store: ObjectStore): Promise<void> {
  const object = model.object('BackgroundTask')
  const where: Filter = { op: '=', field: 'tsk_status', value: 'running' }
  const none = object.select([])
  const message = 'The data was copied to another instance while the action was open. It runs where it was started.'
  for await (const rows of store.search(object, { select: object.select(['tsk_state']), where, order: object.order })) {
    for (const { row_id: id, tsk_state: state } of rows) {
      const task: Task = {
        ...(JSON.parse(state as string) as Task),
        status: 'failed',
        ended: timestamp(new Date()),
        error: { code: 'ERR_UNAVAILABLE', message },
      }
      const values = { tsk_status: 'failed', tsk_state: JSON.stringify(task), tsk_expires: Date.now() + keepMs }
      await store.update(object, id, values, { select: none, where })
    }
  }
}
