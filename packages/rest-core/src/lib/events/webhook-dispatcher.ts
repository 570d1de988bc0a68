import { randomUUID } from 'node:crypto'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { timestamp } from '../fields/temporal.js'
import { Shares, type Release } from '../shares.js'
import type { ObjectStore } from '../store.js'
import { splitNames } from '../system/check-grant.js'
import type { EventRecord } from './event.js'
import type { EventHub } from './event-hub.js'
import { createHold } from './hold.js'
import { createLease } from './lease.js'
import { skipDeliveries } from './prepare-webhooks.js'
import { daysAgo, purgeRows } from './purge.js'
import { attemptDelivery } from './webhook-delivery.js'
import type { WebhookSender } from './webhook-message.js'
import { standardRetry } from './webhook-retry.js'
import type { WebhookRetry } from './webhook-retry.js'

export interface WebhookDispatcherOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  readonly service: BusinessObjects
  /** Started by the dispatcher, closed by who made it. */
  readonly hub: EventHub
  /** The user of a webhook, e.g. of a `UserDirectory`; `undefined` when the user is not active. */
  readonly principalOf: (userId: string) => Promise<Principal | undefined>
  readonly send: WebhookSender
  /**
   * Nothing is sent, now or later: events pass by, and deliveries that wait are noted as not sent. For copies of
   * applications. Default false. Await `prepareWebhooks` before the first write.
   */
  readonly muted?: boolean
  readonly retry?: Partial<WebhookRetry>
  /** For one call, in ms. Default 15,000. */
  readonly timeoutMs?: number
  /** Age at which events are deleted. Default 7. */
  readonly keepEventsDays?: number
  /** Age at which deliveries are deleted, the ones to come too when their webhook is off. Default 30. */
  readonly keepDeliveriesDays?: number
  /** A process that shows no sign of life for this long loses the work to another one. In ms, default 6,000. */
  readonly leaseMs?: number
  /** How often due deliveries are looked for, in ms. Default 1,000. */
  readonly pollMs?: number
  /** Called when the work cannot be done, once until it can again. Default: none. */
  readonly onError?: (error: unknown) => void
}

/** Sends events to webhooks, in one process of all on a database, and deletes old events. */
export interface WebhookDispatcher {
  /** Without effect when called again. */
  start(): void
  /** Whether a webhook is to be called, now or later. */
  isWaiting(): Promise<boolean>
  /** Lets running calls end for 5 seconds. */
  close(): Promise<void>
}

/** Webhooks that are called at the same time, of all users and of one. */
const places = { total: 8, perUser: 6 }
/** Deliveries that are looked at in one go. */
const mostDue = 200
const closeMs = 5000
const purgeMs = 3_600_000

/**
 * Every event becomes a delivery per webhook, in the transaction that remembers how far it came, so that a crash
 * neither loses nor doubles one. A delivery is done when its receiver answered 2xx; a crash between the answer and the
 * note of it sends it again. Deliveries of a webhook go out one after the other, in the order of events, until one keeps
 * failing (`orderedAttempts`): the others then overtake it.
 */
export function createWebhookDispatcher(options: WebhookDispatcherOptions): WebhookDispatcher {
  const { model, store, hub, timeoutMs = 15_000, pollMs = 1000, leaseMs = 6000, onError = () => {} } = options
  const { keepEventsDays = 7, keepDeliveriesDays = 30, muted = false } = options
  const context = { ...options, timeoutMs, onError, retry: { ...standardRetry, ...options.retry } }
  const lease = createLease({ model, store, name: 'webhooks' })
  const claim = createHold({ lease, owner: randomUUID(), leaseMs })
  const webhooks = model.object('Webhook')
  const deliveries = model.object('WebhookDelivery')
  const webhookFields = webhooks.select([...webhooks.fields, ...webhooks.technical].map(({ name }) => name))
  /** No new work. */
  const closing = new AbortController()
  /** Cuts running calls. */
  const cut = new AbortController()
  const busy = new Map<string, Promise<void>>()
  /** One user's slow receivers do not keep the webhooks of others waiting: these take turns. */
  const calls = new Shares({
    ...places,
    maxWaitingPerUser: Infinity,
    waitMs: 2 ** 31 - 1,
    refuse: () => new Error('The sender of webhooks was closed.'),
  })
  let running: Promise<void> | undefined
  let term = 0
  let fanned = 0
  let purgedAt = 0
  let failing = false
  let wake = (): void => {}

  return {
    start() {
      hub.start()
      running ??= run()
    },
    isWaiting,
    close,
  }

  async function isWaiting(): Promise<boolean> {
    if (busy.size > 0 || hub.known() > fanned) return true
    const active = (await readWebhooks()).filter((webhook) => webhook['whk_active'] === true)
    const terms: readonly Filter[] = [
      { op: 'notNull', field: 'whd_due' },
      { op: 'in', field: 'whd_webhook_id', values: active.map(({ row_id: id }) => id) },
    ]
    const select = deliveries.select([])
    const order = [{ field: 'row_id', descending: false }]
    if (active.length === 0) return false
    for await (const batch of store.search(deliveries, { select, where: { op: 'and', terms }, order, limit: 1 }))
      if (batch.length > 0) return true
    return false
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      let worked = false
      try {
        worked = await hold()
        if (worked) {
          await fanOut()
          await (muted ? skipDeliveries(model, store, undefined, closing.signal) : startDeliveries())
          await purge()
        }
        failing = false
      } catch (error) {
        if (!failing) onError(error)
        failing = true
        worked = false
      }
      await pause(worked)
    }
  }

  /** Until something may be to do. */
  async function pause(worked: boolean): Promise<void> {
    const end = new AbortController()
    const stop = (): void => end.abort()
    // Another process has the work: look often enough to see that it lives.
    const timer = setTimeout(stop, worked || failing ? pollMs : Math.max(pollMs, leaseMs / 6))
    closing.signal.addEventListener('abort', stop)
    wake = stop
    const ended = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()))
    if (closing.signal.aborted) stop()
    await (worked && !hub.closed.aborted ? Promise.race([ended, hub.next(fanned, end.signal)]) : ended)
    stop()
    clearTimeout(timer)
    closing.signal.removeEventListener('abort', stop)
  }

  async function hold(): Promise<boolean> {
    if (!(await claim.take())) return false
    if (claim.term() !== term) {
      fanned = await lease.readNumber()
      term = claim.term()
    }
    return true
  }

  async function fanOut(): Promise<void> {
    for (;;) {
      const known = hub.known()
      const events = await hub.read(fanned)
      // Deleted events are not delivered.
      const last = events.at(-1)?.number ?? known
      if (last <= fanned || closing.signal.aborted) return
      const active = muted ? [] : (await readWebhooks()).filter((webhook) => webhook['whk_active'] === true)
      const now = new Date()
      await store.transaction(async (session) => {
        // Another process may have taken over, if this one slept.
        const state = await lease.lock(session)
        if (state.term !== term || state.number !== fanned) return
        for (const event of events) {
          for (const webhook of active) {
            if (!wants(webhook, event)) continue
            await session.insert(deliveries, deliveryOf(webhook, event, now), deliveries.select([]))
          }
        }
        await lease.writeNumber(session, last)
      })
      fanned = await lease.readNumber()
    }
  }

  /** Claims webhooks until none is left that has something to send. */
  async function startDeliveries(): Promise<void> {
    while (await claimDue()) if (closing.signal.aborted) return
  }

  /** @returns whether there may be more */
  async function claimDue(): Promise<boolean> {
    const all = await readWebhooks()
    const now = Date.now()
    const isIdle = (webhook: BusinessRecord): boolean =>
      webhook['whk_active'] === true &&
      ((webhook['whk_hold'] as number | null) ?? 0) <= now &&
      !busy.has(webhook.row_id)
    const left = all.filter((webhook) => !isIdle(webhook)).map(({ row_id: id }) => id)
    if (left.length === all.length) return false
    const where: Filter = {
      op: 'and',
      terms: [
        { op: '<=', field: 'whd_due', value: now },
        { op: 'notIn', field: 'whd_webhook_id', values: left },
      ],
    }
    const due: string[] = []
    const select = deliveries.select(['whd_webhook_id'])
    for await (const batch of store.search(deliveries, { select, where, order: byId, limit: mostDue }))
      due.push(...batch.map((delivery) => String(delivery['whd_webhook_id'])))
    for (const webhook of all) {
      const { row_id: id } = webhook
      if (!due.includes(id)) continue
      const work = deliver(webhook)
        .catch(onError)
        .finally(() => {
          busy.delete(id)
          wake()
        })
      busy.set(id, work)
    }
    return due.length === mostDue
  }

  async function deliver({ row_id: id, whk_user_id: user }: BusinessRecord): Promise<void> {
    for (let continues = true; continues;) {
      const release = await placeOf(String(user ?? ''))
      if (!release) return
      try {
        continues = await deliverNext(id)
      } finally {
        release()
      }
    }
  }

  /** A place among the calls; `undefined` when no more are made. */
  async function placeOf(user: string): Promise<Release | undefined> {
    try {
      return await calls.take(user, { signal: closing.signal })
    } catch (error) {
      if (closing.signal.aborted) return undefined
      throw error
    }
  }

  /** @returns whether there may be more that can be sent */
  async function deliverNext(id: string): Promise<boolean> {
    // It may be switched off, or have another address, since the last one was sent.
    const webhook = await store.get(webhooks, id, { select: webhookFields })
    if (webhook?.['whk_active'] !== true) return false
    const terms: readonly Filter[] = [
      { op: '<=', field: 'whd_due', value: Date.now() },
      { op: '=', field: 'whd_webhook_id', value: id },
    ]
    const select = deliveries.select(deliveries.fields.map(({ name }) => name))
    let next: BusinessRecord | undefined
    for await (const [delivery] of store.search(deliveries, {
      select,
      where: { op: 'and', terms },
      order: byId,
      limit: 1,
    }))
      next = delivery
    // Another process sends it, when this one has lost the claim.
    if (!next || closing.signal.aborted || !claim.isHeld()) return false
    return attemptDelivery(context, webhook, next, AbortSignal.any([cut.signal, claim.lost]))
  }

  async function purge(): Promise<void> {
    if (Date.now() - purgedAt < purgeMs) return
    const old = daysAgo(keepEventsDays)
    await purgeRows(store, model.object('Event'), {
      op: 'and',
      terms: [
        { op: '<', field: 'evt_dt', value: old },
        { op: '<=', field: 'evt_number', value: fanned },
      ],
    })
    await purgeRows(store, deliveries, { op: '<', field: 'whd_created', value: daysAgo(keepDeliveriesDays) })
    purgedAt = Date.now()
  }

  async function readWebhooks(): Promise<BusinessRecord[]> {
    const found: BusinessRecord[] = []
    for await (const batch of store.search(webhooks, { select: webhookFields, order: webhooks.order }))
      found.push(...batch)
    return found
  }

  async function close(): Promise<void> {
    closing.abort()
    await running
    const timer = setTimeout(() => cut.abort(), closeMs)
    await Promise.all(busy.values())
    clearTimeout(timer)
    // When the database is away the claim ends by itself.
    await claim.release().catch(() => {})
  }
}

const byId = [{ field: 'row_id', descending: false }] as const

/** A webhook receives nothing that happened before it was created. */
function wants(webhook: BusinessRecord, { object, action, time }: EventRecord): boolean {
  const objects = splitNames(webhook['whk_objects'] as string)
  const actions = webhook['whk_actions'] as readonly string[]
  return (
    time >= (webhook['created_dt'] as string) &&
    (objects.length === 0 || objects.includes(object)) &&
    (actions.length === 0 || actions.includes(action))
  )
}

function deliveryOf({ row_id: id }: BusinessRecord, event: EventRecord, now: Date) {
  return {
    whd_webhook_id: id,
    whd_event: event.number,
    whd_object: event.object,
    whd_row_id: event.rowId,
    whd_action: event.action,
    whd_event_dt: event.time,
    whd_login: event.login,
    whd_status: 'pending',
    whd_attempts: 0,
    // At once, whatever the clock of the process that sends.
    whd_due: 0,
    whd_next_dt: timestamp(now),
    whd_created: timestamp(now),
  }
}
