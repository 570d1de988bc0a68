import { createHmac } from 'node:crypto'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { readableNow } from '../service/readable-now.js'
import { webhookKey } from '../system/check-webhook.js'
import { eventFor } from './event.js'
import type { EventRecord } from './event.js'

/** A call of a webhook. */
export interface WebhookRequest {
  /** http or https. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The call shall end. */
  readonly signal: AbortSignal
}

/**
 * Makes a POST. Redirects are not followed, and nothing of the answer is read but its status.
 *
 * @returns the HTTP status.
 * @throws Error whose message may be shown to users.
 */
export type WebhookSender = (request: WebhookRequest) => Promise<number>

/**
 * The body of a message: the event as this user may see it, if wanted with the record as the user may read it now.
 *
 * @returns `undefined` when the user may not see it.
 */
export async function webhookBody(
  service: BusinessObjects,
  principal: Principal,
  event: EventRecord,
  withRecord: boolean,
): Promise<string | undefined> {
  const told = await eventFor(service, principal, event)
  if (!told) return undefined
  const isWanted = withRecord && event.action !== 'delete'
  const record = isWanted ? await readableNow(service, principal, event.object, event.rowId) : undefined
  return JSON.stringify({
    type: `${event.object}.${event.action}`,
    timestamp: `${event.time.replace(' ', 'T')}Z`,
    data: { number: event.number, ...told, ...(record && { record }) },
  })
}

/**
 * Headers of a message. The id stays the same when it is sent again, the time and so the signature do not.
 * Source: Standard Webhooks, "Webhook Headers" and "Signature scheme".
 */
export function webhookHeaders(
  secret: string,
  id: string,
  body: string,
  now: Date = new Date(),
): Readonly<Record<string, string>> {
  const seconds = Math.floor(now.getTime() / 1000)
  const signature = createHmac('sha256', webhookKey(secret) ?? '')
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Steward-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': `v1,${signature}`,
  }
}
