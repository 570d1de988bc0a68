import { allRights, checkNeed, processBudget, unknownObject } from '@steward/rest-core'
import type { BusinessObjects, ByteBudget, Principal } from '@steward/rest-core'
import type { RouterContext } from '@koa/router'
import type { Context } from 'koa'
import { isViewing, refuseChange, viewerOf } from '../auth/view-as.js'
import type { ObjectPool } from '../limits/object-pool.js'
import { openMemory } from '../limits/memory.js'
import { createRateLimit } from '../limits/rate-limit.js'
import type { RateLimitOptions } from '../limits/rate-limit.js'
import { emptyHeaders, send } from '../http/answer.js'
import type { Delivery, Respond } from '../http/delivery.js'
import { clientGone } from '../http/client-gone.js'
import type { Log } from '../http/log.js'
import { standardPace, type Pace } from '../http/pace.js'
import { sendError } from '../http/send-error.js'
import { layerOf, sentParameters, ServiceRouter } from '../routing/service-router.js'
import { checkEncoded, normalisePrefixes, queryOf, unknownAddress, unknownTarget, urlOf } from './address.js'
import type { Address, HasZero, Target } from './address.js'
import type { AppDescription } from './app-info.js'
import { levels } from './level.js'
import type { BodyLimits } from './body.js'
import type { RestCall } from './call.js'
import type { Level } from './level.js'
import type { Operation } from './parameters.js'
import { createRecheck, standardRecheckMs } from './recheck.js'
import { allowedMethods, readOperation, withView } from './method.js'
import { operations } from './operations.js'
import { serveRoutes } from './serve-routes.js'
import { parseQuery } from './query-string.js'
import { readSearchBody } from './search-body.js'
import { readQuery } from './read-query.js'

export interface RestRouterOptions {
  /**
   * Who makes the request, e.g. `createAuthentication(…).authenticate`, or a function that knows the user of an embedding
   * application. It may set `ctx.state.session` (see `SessionInfo`) for the application info. Asked again while a streamed
   * answer continues.
   *
   * @throws RestError ERR_CREDENTIALS (having set `WWW-Authenticate`), ERR_TOO_MANY
   */
  readonly authenticate: (context: Context) => Principal | Promise<Principal>
  /**
   * Lets administrators (principals with `allRights`) see what another user sees, by the header `X-View-As`: finds the
   * active user with a login, e.g. `directory.principalOfLogin`. Such requests only read. Default: the header is refused.
   */
  readonly viewAs?: ((login: string) => Promise<Principal | undefined>) | undefined
  /** Base addresses; others go to the next middleware. Default `/api/rest`; `''` for everything, e.g. below koa-mount. */
  readonly prefix?: string | readonly string[]
  /** What the application says about itself at the base address. */
  readonly app?: AppDescription
  /** Compatibility level. Default: the latest. */
  readonly level?: Level
  /** Most bytes of a request body. Default 10 MiB. Not specified; chosen because documents travel in bodies. */
  readonly bodyLimitBytes?: number
  /**
   * Called on failures: each 500 with its error, 503 at most once a second with a count. Default: the application's `error`
   * event, which Koa prints.
   */
  readonly log?: Log | undefined
  /** Memory of answers and bodies that users share. Default: the one of the process, see `processBudget`. */
  readonly memory?: ByteBudget | undefined
  /**
   * How slow a client may be that reads all records of a search, or a publication, which keeps a connection of the database:
   * one that takes less than 64 KiB in `stallMs`, or more than `totalMs` (0: no limit) for the whole, is cut, and its
   * answer is incomplete. Default 30,000 and 600,000 ms.
   */
  readonly pace?: Partial<Pace> | undefined
  /**
   * How long the rights to a streamed answer (all records of a search, a publication) are believed, in ms: it is cut when its
   * user was switched off or may no longer read the object. Default 1,000; 0: asked for every part.
   */
  readonly recheckMs?: number | undefined
  /** Limits how many calls of a user run at once, see `createObjectPool`. Default: no limit. */
  readonly pool?: ObjectPool | undefined
  /**
   * Most requests of one user, or of one address without credentials, in some time; beyond it there is 429, and all
   * answers have `RateLimit-…` headers. Default: no limit.
   */
  readonly rateLimit?: RateLimitOptions | undefined
  /**
   * `koa` (default) sets `ctx.body`, as other middlewares do: those around may change it or set headers after `next()`, e.g.
   * to compress it, or for a session. `direct` writes answers past Koa's response path, which is a third of the cost of a
   * small read: middlewares around see `ctx.status`, and headers set before are kept.
   */
  readonly respond?: Respond
  /**
   * Compresses answers as `Accept-Encoding` asks (zstd, br, gzip): text of 2 KiB and more, but no errors, no documents, and not
   * the application info, which holds the token of the session. Only with `respond: 'direct'`, where it is the default; with `koa` a
   * middleware around, e.g. koa-compress, does it.
   */
  readonly compression?: boolean
  /**
   * Tries only the routes of objects and rows for addresses such as `/Task` and `/Task/7`, before all routes one after the other.
   * What a route does, its parameters and its name are the same; `ctx.matched` has only that route. Without effect as soon as
   * something was added to the router, or in a router around it. Default true.
   */
  readonly fastPath?: boolean
}

/** What ends when the client goes away. */
const searching: ReadonlySet<Operation> = new Set<Operation>(['search', 'indexSearch', 'crosstab', 'publication'])

/**
 * REST over business objects as a router of `@koa/router`: its routes are named after what they are about (`info`, `object`, `row`,
 * `key`, `batch`, `search`, `index`, `objectIndex`, `action`, `publication`, `document`, `thumbnail`, `task`, `documentation`,
 * `count`, `metadata`, `objectDocumentation`, `crosstab`), and have the parameters `object`, `row_id`, `key`, `name`, `field` and
 * `id`. It needs no other middleware: it reads bodies, answers errors and sets safe headers itself, and it answers every
 * address below its prefix. Works in any Koa 3 application, in a router around it, and below koa-mount (with the prefix `''`).
 *
 * Middlewares and routes that are added to it before `routes()` is called come before those of the service.
 *
 * Sets `ctx.state.principal`, and `ctx.state.bytes` (length of the body of the answer as it is sent) for access logs.
 *
 * @throws TypeError for options that cannot be.
 *
 * @example
 * app.use(restRouter(service, { authenticate: authentication.authenticate }).routes())
 *
 * @example
 * const router = new Router()
 * router.get('/shop/rest/Order/:row_id/label', printLabel)
 * router.use(restRouter(service, { authenticate, prefix: '/shop/rest' }).routes())
 * app.use(router.routes()).use(router.allowedMethods())
 */
export function restRouter(service: BusinessObjects, options: RestRouterOptions): ServiceRouter {
  const {
    authenticate,
    viewAs,
    prefix = '/api/rest',
    app = { name: 'application' },
    level = '5.1',
    bodyLimitBytes = 10 * 1024 * 1024,
    log,
    pool,
    memory: budget = processBudget(),
    recheckMs = standardRecheckMs,
    respond = 'koa',
    fastPath = true,
    compression = respond === 'direct',
  } = options
  if (compression && respond === 'koa')
    throw new TypeError(
      "compression works only with respond: 'direct'. Set that too, or compress in a middleware such as koa-compress.",
    )
  const delivery: Delivery = compression ? 'compressed' : respond
  if (!levels.includes(level)) throw new TypeError(`Level "${level}" does not exist; levels are ${levels.join(', ')}.`)
  if (!(bodyLimitBytes > 0)) throw new TypeError(`bodyLimitBytes is ${bodyLimitBytes}; give a number above 0.`)
  const pace: Pace = { ...standardPace, ...options.pace }
  const rateLimit = options.rateLimit && createRateLimit(options.rateLimit)
  // Before 3.1 the output format was a part of the path. Source: docs/spec/rest-service.md, "Base address".
  const bases = normalisePrefixes(prefix)
  const prefixes = level === '3.0' ? normalisePrefixes([...bases, ...bases.map((base) => `${base}/json`)]) : bases

  const router = new ServiceRouter({ prefixes, fastPath })
  router.serveAll([...serveRoutes(answer), { name: 'unknown', path: '/{*below}', handler: answerUnknown }])
  return router

  function answerUnknown(context: RouterContext): Promise<void> {
    return answer(context, () => unknownTarget(addressOf(context).path))
  }

  function addressOf(context: RouterContext): Address {
    const { path } = context
    const layer = layerOf(context, answerUnknown)
    const below = layer && sentParameters(layer, layer.captures(path))['below']
    const length = below === undefined ? path.replace(/\/$/, '').length : path.length - below.length - 1
    return { base: path.slice(0, length), path: path.slice(length), query: queryOf(urlOf(context)) }
  }

  async function answer(context: RouterContext, read: (hasZero: HasZero) => Target): Promise<void> {
    const address = once(() => addressOf(context))
    try {
      const url = urlOf(context)
      const query = queryOf(url)
      const readChecked = (): Target => {
        checkEncoded(url)
        return read(zeroOf(context, query))
      }
      if (context.req.method === 'OPTIONS') {
        const allowed = allowedMethods(readChecked().kind)
        return send(context, delivery, 204, [...emptyHeaders(), 'Allow', allowed])
      }
      const user = authenticate(context)
      const caller = user instanceof Promise ? await user : user
      context.state['principal'] = caller
      if (rateLimit) await rateLimit(context, caller)
      const readerOf = (user: Principal) => (isViewing(context) ? viewerOf(context, user, viewAs) : user)
      const reader = readerOf(caller)
      const principal = reader instanceof Promise ? await reader : reader
      const target = readChecked()
      if (target.kind === 'none') throw unknownAddress(address().path)
      const inAddress = withView(target, parseQuery(query), level)
      const open = () => openMemory(context, budget, caller.userId || caller.login)
      const body: BodyLimits = { bytes: bodyLimitBytes, memory: open }
      if (target.kind === 'query') checkNeed(service.model, principal, { object: target.object, letters: ['R'] })
      const pairs = target.kind === 'query' ? [...inAddress, ...(await readSearchBody(context, body))] : inAddress
      const operation = readOperation(context, target, pairs)
      if (principal !== caller) refuseChange(context, operation)
      const asked = readQuery(pairs, operation, level)
      const requested = searching.has(operation) ? { ...asked, signal: clientGone(context) } : asked
      const call: RestCall = {
        context,
        service,
        principal,
        offersView: viewAs !== undefined && principal.rights === allRights,
        app,
        level,
        body,
        memory: once(open),
        respond: delivery,
        pace,
        address,
        recheck: (needed) => {
          const check = async () => {
            checkNeed(service.model, await readerOf(await authenticate(context)), needed)
          }
          return createRecheck(context, check, recheckMs)
        },
      }
      const work = async (): Promise<void> => {
        if ('object' in target && target.object !== undefined && !service.model.objects.has(target.object))
          throw unknownObject(service.model, principal, target.object)
        await operations[operation](call, (await findRow(call, target, operation)) as never, requested)
      }
      // What is about no object is cheap, but for searches over all of them.
      const object = 'object' in target ? target.object : target.kind === 'index' ? '' : undefined
      await (pool && object !== undefined ? pool.run(context, caller, object, work) : work())
    } catch (error) {
      sendError(context, error, { log, respond })
    }
  }

  /** A POST without a word on what it stands for creates a record, at `/<object>/0`, too. */
  function zeroOf({ req }: Context, query: string): HasZero {
    return (object, alone) => {
      if (service.model.objects.get(object)?.isMapped !== true) return false
      const isPlain = alone && req.method === 'POST' && req.headers['x-http-method-override'] === undefined
      return !isPlain || parseQuery(query).some(([name]) => name === '_method' || name === '_action')
    }
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** A record that is named by its functional key, as a row (a write finds it itself); a view as what it is one of. */
async function findRow({ service, principal }: RestCall, target: Target, operation: Operation): Promise<Target> {
  if (target.kind === 'view') {
    const { object, rowId } = target
    if (object === undefined) return { kind: 'info' }
    return rowId === undefined ? { kind: 'object', object } : { kind: 'row', object, rowId }
  }
  if (target.kind === 'query') return { kind: 'object', object: target.object }
  if (target.kind !== 'key' || operation !== 'get') return target
  return { kind: 'row', object: target.object, rowId: await service.findByKey(principal, target.object, target.key) }
}
