import type { BusinessObjects, Model, ObjectStore, Principal } from '@steward/rest-core'
import { createEventHub, createWebhookDispatcher, prepareWebhooks } from '@steward/rest-core/system'
import type { EventHub, WebhookDispatcher } from '@steward/rest-core/system'
import { createWebhookSender } from '@steward/rest-koa'
import type { Logger } from 'pino'
import type { AppDefinition } from './app-definition.js'

export interface EventsOptions {
  readonly definition: AppDefinition
  readonly model: Model
  readonly store: ObjectStore
  /** The user of a webhook; undefined: there is none, or the user was switched off. */
  readonly principalOf: (userId: string) => Promise<Principal | undefined>
  readonly logger: Logger
  /** Webhooks are not called. */
  readonly neutralised: boolean
}

/** The events of an application. */
export interface Events {
  readonly hub: EventHub
  /** Starts to read events, and to send them to webhooks. */
  start(service: BusinessObjects): void
  /** Whether a webhook is to be called, now or later. */
  isWaiting(): Promise<boolean>
  /** Ends streams and calls. May be called twice. */
  close(): Promise<void>
}

/**
 * What is written once it resolves is reported to webhooks, or not, as `neutralised` says.
 *
 * @returns `undefined` when no object has events: nothing runs then.
 */
export async function createEvents({
  definition,
  model,
  store,
  principalOf,
  logger,
  neutralised,
}: EventsOptions): Promise<Events | undefined> {
  if (![...model.objects.values()].some((object) => object.definition.events)) return undefined
  await prepareWebhooks({ model, store, muted: neutralised })
  const { keepDays, keepDeliveriesDays, allowPrivateWebhooks = false } = definition.events ?? {}
  const onError = (error: unknown): void => logger.error(error, 'Events cannot be sent at the moment')
  const hub = createEventHub({ model, store, onError })
  let dispatcher: WebhookDispatcher | undefined
  return {
    hub,
    start(service) {
      dispatcher = createWebhookDispatcher({
        model,
        store,
        service,
        hub,
        principalOf,
        send: createWebhookSender({ allowPrivate: allowPrivateWebhooks }),
        muted: neutralised,
        onError,
        ...(keepDays !== undefined && { keepEventsDays: keepDays }),
        ...(keepDeliveriesDays !== undefined && { keepDeliveriesDays }),
      })
      dispatcher.start()
    },
    isWaiting: async () => (await dispatcher?.isWaiting()) ?? false,
    async close() {
      await hub.close()
      await dispatcher?.close()
    },
  }
}
