import type { FieldValue } from '../fields/field-value.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model } from '../model/model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { timestamp } from '../fields/temporal.js'
import type { ObjectStore } from '../store.js'
import type { EventRecord } from './event.js'
import { unchanged } from './lease.js'
import { webhookBody, webhookHeaders } from './webhook-message.js'
import type { WebhookSender } from './webhook-message.js'
import { retryDelay } from './webhook-retry.js'
import type { WebhookRetry } from './webhook-retry.js'

export interface DeliveryContext {
  readonly model: Model
  readonly store: ObjectStore
  readonly service: BusinessObjects
  readonly principalOf: (userId: string) => Promise<Principal | undefined>
  readonly send: WebhookSender
  readonly retry: WebhookRetry
  readonly timeoutMs: number
  readonly onError: (error: unknown) => void
}

type Outcome =
  | { readonly status: 'done'; readonly http: number }
  | { readonly status: 'skipped'; readonly error: string }
  | { readonly status: 'failed'; readonly http?: number; readonly error: string }

const everything = systemPrincipal({ login: 'webhooks' })

/**
 * Makes one attempt, and writes down what came of it.
 *
 * @param stop ends the attempt, which then counts as none.
 * @returns whether the deliveries after it may continue.
 */
export async function attemptDelivery(
  context: DeliveryContext,
  webhook: BusinessRecord,
  delivery: BusinessRecord,
  stop: AbortSignal,
): Promise<boolean> {
  const outcome = await attempt(context, webhook, delivery, stop)
  if (stop.aborted && outcome.status === 'failed') return false
  const attempts = ((delivery['whd_attempts'] as number | null) ?? 0) + (outcome.status === 'skipped' ? 0 : 1)
  const now = new Date()
  const due =
    outcome.status === 'failed' && attempts < context.retry.attempts && outcome.http !== 410
      ? now.getTime() + retryDelay(attempts, context.retry)
      : null
  const values = {
    whd_status: due === null ? outcome.status : 'pending',
    whd_attempts: attempts,
    whd_due: due,
    whd_next_dt: due === null ? '' : timestamp(new Date(due)),
    whd_http_status: ('http' in outcome ? outcome.http : null) ?? null,
    whd_error: 'error' in outcome ? outcome.error.slice(0, 500) : '',
    whd_ended: due === null ? timestamp(now) : '',
  }
  // A process that was paused must not write over what another one has done meanwhile.
  const isOurs = await update(context, 'WebhookDelivery', delivery.row_id, values, unchangedSince(delivery))
  if (!isOurs) return false
  if (outcome.status === 'done') await markWorking(context, webhook)
  if (outcome.status !== 'failed') return true
  const hold = due !== null && attempts < context.retry.orderedAttempts ? due : null
  const isOn = await markFailing(context, webhook.row_id, outcome, hold, now)
  return isOn && hold === null
}

async function attempt(
  context: DeliveryContext,
  webhook: BusinessRecord,
  delivery: BusinessRecord,
  stop: AbortSignal,
): Promise<Outcome> {
  const { service, principalOf, send, timeoutMs } = context
  const event = eventOf(delivery)
  let body
  try {
    const userId = webhook['whk_user_id'] as string
    const principal = userId === '' ? everything : await principalOf(userId)
    if (!principal) return { status: 'skipped', error: 'The user of the webhook is not active.' }
    body = await webhookBody(service, principal, event, webhook['whk_with_record'] === true)
  } catch (error) {
    context.onError(error)
    return { status: 'failed', error: 'The message could not be created; see the log.' }
  }
  if (body === undefined) return { status: 'skipped', error: 'The user of the webhook may not read the record.' }
  try {
    const http = await send({
      url: webhook['whk_url'] as string,
      headers: webhookHeaders(webhook['whk_secret'] as string, `evt_${event.number}_${webhook.row_id}`, body),
      body,
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    })
    if (http >= 200 && http < 300) return { status: 'done', http }
    return { status: 'failed', http, error: `The receiver answered with status ${http}.` }
  } catch (error) {
    const { name, message } = error as Error
    return {
      status: 'failed',
      error: name === 'TimeoutError' ? `The receiver did not answer within ${timeoutMs} ms.` : message,
    }
  }
}

function eventOf(delivery: BusinessRecord): EventRecord {
  return {
    number: delivery['whd_event'] as number,
    object: delivery['whd_object'] as string,
    rowId: delivery['whd_row_id'] as string,
    action: delivery['whd_action'] as EventRecord['action'],
    time: delivery['whd_event_dt'] as string,
    login: delivery['whd_login'] as string,
  }
}

async function markWorking(context: DeliveryContext, webhook: BusinessRecord): Promise<void> {
  // Others may have failed since the webhook was read; a success ends every row of failures.
  const where: Filter = { op: 'notNull', field: 'whk_failing_since' }
  await update(context, 'Webhook', webhook.row_id, { whk_failing_since: '', whk_failures: null, whk_hold: null }, where)
}

/** @returns whether the webhook is still on. */
async function markFailing(
  context: DeliveryContext,
  id: string,
  { http, error }: Extract<Outcome, { status: 'failed' }>,
  hold: number | null,
  now: Date,
): Promise<boolean> {
  const { model, store, retry } = context
  const object = model.object('Webhook')
  const before = await store.get(object, id, { select: object.select(['whk_failing_since', 'whk_failures']) })
  if (!before) return false
  const since = (before['whk_failing_since'] as string) || timestamp(now)
  const failures = ((before['whk_failures'] as number | null) ?? 0) + 1
  const failingMs = now.getTime() - Date.parse(`${since.replace(' ', 'T')}Z`)
  const isOver = failingMs >= retry.offAfterDays * 86_400_000 && failures >= retry.attempts
  const reason =
    http === 410
      ? 'The receiver answered that it is gone (410).'
      : isOver
        ? `Only failures since ${since} UTC, the last one: ${error}`
        : undefined
  await update(context, 'Webhook', id, {
    whk_failing_since: since,
    whk_failures: failures,
    whk_hold: hold,
    ...(reason !== undefined && { whk_active: false, whk_off_reason: reason.slice(0, 500) }),
  })
  return reason === undefined
}

async function update(
  { model, store }: DeliveryContext,
  name: string,
  id: string,
  values: Readonly<Record<string, FieldValue>>,
  where?: Filter,
): Promise<boolean> {
  const object = model.object(name)
  return (await store.update(object, id, values, { select: object.select([]), where })) !== undefined
}

function unchangedSince(delivery: BusinessRecord): Filter {
  return {
    op: 'and',
    terms: [
      { op: '=', field: 'whd_status', value: 'pending' },
      unchanged('whd_attempts', (delivery['whd_attempts'] as number | null) ?? 0),
    ],
  }
}
