import type { BusinessObjects, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { EventHub } from '@steward/rest-core/system'
import type { Context } from 'koa'
import { isViewing, viewerOf } from '../auth/view-as.js'
import { clientGone } from '../http/client-gone.js'
import type { Log } from '../http/log.js'
import { sendError } from '../http/send-error.js'
import { normalisePrefixes, queryOf, urlOf } from '../router/address.js'
import { parseQuery } from '../router/query-string.js'
import { ServiceRouter } from '../routing/service-router.js'
import { streamEvents } from './event-stream.js'

export interface EventsRouterOptions {
  /** Who makes the request, see `restRouter`. Asked again while the stream continues. */
  readonly authenticate: (context: Context) => Principal | Promise<Principal>
  /** See `restRouter`. */
  readonly viewAs?: ((login: string) => Promise<Principal | undefined>) | undefined
  /** Default `/api/events`. */
  readonly prefix?: string | readonly string[]
  /** Silence after which the client learns that the stream is alive, in ms. Default 15,000. */
  readonly heartbeatMs?: number
  /** Open streams of one user, beyond which there is 429. Default 10. */
  readonly streamsPerUser?: number
  /** A client that takes nothing for this long is disconnected, in ms. Default 30,000. */
  readonly drainMs?: number
  /** See `restRouter`. */
  readonly log?: Log | undefined
}

/**
 * Events as a stream (server-sent events): `GET /api/events?object=Movie,Genre`. A client that was cut comes again with
 * `Last-Event-ID` (or `?lastEventId=`) and misses nothing that is still in the outbox; else it gets an event `gap`. The
 * hub is started by who made it.
 *
 * @example
 * const hub = createEventHub({ model, store })
 * const service = createBusinessObjects({ model, store, onChange: () => hub.notify() })
 * hub.start()
 * app.use(eventsRouter(service, hub, { authenticate: authentication.authenticate }).routes())
 */
export function eventsRouter(service: BusinessObjects, hub: EventHub, options: EventsRouterOptions): ServiceRouter {
  const { authenticate, viewAs, prefix = '/api/events', log } = options
  const { heartbeatMs = 15_000, streamsPerUser = 10, drainMs = 30_000 } = options
  const router = new ServiceRouter({ prefixes: normalisePrefixes(prefix) })
  const streams = new Map<string, number>()

  router.serve('events', '/', answer)
  return router

  async function answer(context: Context): Promise<void> {
    try {
      if (context.method !== 'GET') {
        context.set('Allow', 'GET')
        throw new RestError('ERR_METHOD', `${context.method} does not work on this address.`)
      }
      const caller = await authenticate(context)
      context.state['principal'] = caller
      const readerOf = (user: Principal) => (isViewing(context) ? viewerOf(context, user, viewAs) : user)
      const reader = async () => readerOf(await authenticate(context))
      const wanted = readWanted(context, queryOf(urlOf(context)), await readerOf(caller))
      if (hub.closed.aborted)
        throw new RestError('ERR_UNAVAILABLE', 'The server is stopping; try again.', { retryAfterSeconds: 2 })
      const gone = clientGone(context)
      await countStream(caller, gone, () =>
        streamEvents(context, { service, hub, reader, gone, heartbeatMs, drainMs, ...wanted }),
      )
      // If the stream has not started, no client is left to be answered.
      if (gone.aborted) context.respond = false
    } catch (error) {
      // The credentials of a stream expire like all others, and so does the right to see what others see.
      if (context.res.headersSent && RestError.is(error) && error.status < 500) return
      sendError(context, error, { log })
    }
  }

  /** Does not wait for a stream whose client has gone: the database may be silent for as long as it likes. */
  async function countStream(
    { userId, login }: Principal,
    gone: AbortSignal,
    stream: () => Promise<void>,
  ): Promise<void> {
    const user = userId || login
    const count = streams.get(user) ?? 0
    if (count >= streamsPerUser) {
      throw new RestError(
        'ERR_TOO_MANY',
        `You have ${count} streams of events open, which is the limit; end one first.`,
        {
          retryAfterSeconds: 30,
        },
      )
    }
    streams.set(user, count + 1)
    try {
      await Promise.race([stream(), aborted(gone)])
    } finally {
      const left = (streams.get(user) ?? 1) - 1
      if (left > 0) streams.set(user, left)
      else streams.delete(user)
    }
  }

  function readWanted(context: Context, query: string, principal: Principal) {
    let objects: Set<string> | undefined
    let after = readNumber('Last-Event-ID', context.get('Last-Event-ID'))
    for (const [name, value] of parseQuery(query)) {
      if (name === 'object') {
        objects ??= new Set()
        for (const object of value.split(',')) objects.add(checkObject(object.trim(), principal))
      } else if (name === 'lastEventId') {
        // A browser that comes again sends the newer number in the header.
        after ??= readNumber(name, value)
      } else {
        throw new RestError('ERR_BAD_REQUEST', `Unknown parameter "${name.slice(0, 100)}".`)
      }
    }
    return { objects, after }
  }

  function checkObject(name: string, { rights }: Principal): string {
    const object = service.model.objects.get(name)
    if (!object || !rights.object(name)?.letters.has('R')) throw RestError.notFound(`Object "${name.slice(0, 100)}"`)
    if (object.definition.events !== true) throw new RestError('ERR_BAD_REQUEST', `Object "${name}" has no events.`)
    return name
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve())
  })
}

function readNumber(name: string, value: string): number | undefined {
  if (value === '') return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  throw new RestError('ERR_BAD_REQUEST', `"${name}" is "${value.slice(0, 100)}"; give the id of an event.`)
}
