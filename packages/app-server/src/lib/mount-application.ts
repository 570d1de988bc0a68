import type { BusinessObjects, ObjectStore, Principal } from '@steward/rest-core'
import type { SystemParameters, VersionWatch } from '@steward/rest-core/system'
import type { Authentication } from '@steward/rest-koa'
import {
  accessLog,
  allowOrigins,
  cors,
  createObjectPool,
  errorResponse,
  eventsRouter,
  loginRouter,
  requestId,
  restRouter,
  securityHeaders,
  testerRouter,
} from '@steward/rest-koa'
import { recordsRouter } from '@steward/rest-pages'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Logger } from 'pino'
import type { AppDefinition } from './app-definition.js'
import type { Audit } from './audit.js'
import type { Events } from './events.js'
import { hasPages } from './has-pages.js'
import { reportHealth } from './health-report.js'
import { healthRouter } from './health-router.js'
import { modelDigest } from './model-digest.js'
import { startRouter } from './start-page.js'
import { platformVersion } from './version.js'
import type { Primary } from './workers/join-primary.js'

export interface MountOptions {
  readonly definition: AppDefinition
  /** Names of its migrations. Default none. */
  readonly migrations?: readonly string[] | undefined
  readonly service: BusinessObjects
  readonly store: ObjectStore
  readonly authentication: Authentication
  /** The active user with a login, for administrators who see what another user sees. */
  readonly viewAs: (login: string) => Promise<Principal | undefined>
  /** Looks for changes by other servers before each request. */
  readonly watch: Pick<VersionWatch, 'look'>
  readonly parameters: SystemParameters
  readonly dataFolder: string
  /** Shown by `/health`. */
  readonly neutralised: boolean
  /** How many users are kept in memory. */
  readonly cachedUsers: () => number
  readonly logger: Logger
  /** When this process is one of several workers. */
  readonly primary?: Pick<Primary, 'status' | 'reportWith'> | undefined
  /** Answers `/io`, when the application has a service user. */
  readonly io?: Router | undefined
  /** When objects have events. */
  readonly events?: Pick<Events, 'hub' | 'isWaiting'> | undefined
  /** When objects have an audit trail. */
  readonly audit?: Pick<Audit, 'middleware'> | undefined
}

/**
 * Base addresses of the service of an application. Source: docs/spec/rest-service.md, "Base address"; `/api/rest` is an
 * addition.
 */
export function baseAddresses(name: string): readonly [string, ...string[]] {
  return [`/${name}/api/rest`, `/${name}ws/rest`, '/api/rest']
}

/** The Koa application: logs and guards around the REST service, log-in, `/ping` and `/health`. */
export function mountApplication({
  definition,
  migrations,
  service,
  store,
  authentication,
  viewAs,
  watch,
  parameters,
  dataFolder,
  neutralised,
  cachedUsers,
  logger,
  primary,
  io,
  events,
  audit,
}: MountOptions): Koa {
  const { name, title = name, level = '5.1', trustedProxies: trustProxy = [], log = {} } = definition
  const koa = new Koa()
  koa.on('error', (error) => logger.error(error))

  koa.use(requestId({ trustProxy }))
  if (audit) koa.use(audit.middleware)
  if (log.format === 'combined') koa.use(accessLog({ format: 'combined', stream: process.stdout, trustProxy }))
  else if (log.format !== 'none') koa.use(accessLog({ format: 'pino', logger, trustProxy }))
  koa.use(errorResponse({ log: logger }))
  koa.use(
    securityHeaders({
      ...(definition.strictTransportSeconds !== undefined && {
        strictTransportSecuritySeconds: definition.strictTransportSeconds,
      }),
    }),
  )
  const activity = async () => ({ actions: service.openTasks(), webhooks: (await events?.isWaiting()) ? 1 : 0 })
  const cached = () => ({ users: cachedUsers() })
  // Without a database no worker could answer within the time that the primary waits.
  primary?.reportWith(() => reportHealth({ cached, activity }, true))
  koa.use(
    healthRouter({
      application: definition,
      platformVersion,
      model: modelDigest(service.model, definition, migrations),
      store,
      folder: dataFolder,
      startedAt: new Date(),
      neutralised,
      cached,
      activity,
      workers: primary && (() => primary.status()),
    }).routes(),
  )
  koa.use(async function followOtherServers(_, next) {
    const looking = watch.look()
    if (looking) await looking
    await next()
  })
  if (definition.allowedOrigins) koa.use(allowOrigins(definition.allowedOrigins, { trustProxy }))
  if (definition.cors) koa.use(cors(definition.cors))
  // First: most requests are for it, and it answers none of the addresses below.
  koa.use(
    restRouter(service, {
      authenticate: authentication.authenticate,
      viewAs,
      prefix: baseAddresses(name),
      app: {
        name,
        title,
        version: definition.version,
        platformVersion,
        server: `Node.js ${process.version}`,
      },
      level,
      ...(definition.maxBodyBytes !== undefined && { bodyLimitBytes: definition.maxBodyBytes }),
      respond: 'direct',
      ...(definition.streamTimeoutSeconds !== undefined && {
        pace: { totalMs: definition.streamTimeoutSeconds * 1000 },
      }),
      ...(definition.compression !== undefined && { compression: definition.compression }),
      pool: createObjectPool({ parameters }),
      ...(definition.rateLimit && { rateLimit: { ...definition.rateLimit, trustProxy } }),
      log: logger,
    }).routes(),
  )
  const hasTester = () => parameters.isYes('USE_API_TESTER', true)
  const router = new Router()
  if (hasPages(definition)) {
    const pages = recordsRouter({
      prefix: [`/${name}`, ''],
      title,
      tester: '../api/tester',
      password: authentication.changesPasswords,
      enabled: () => parameters.isYes('USE_RECORDS_PAGES', true),
    })
    router.use(pages.routes())
  }
  router.use(startRouter({ definition, hasTester }).routes())
  if (io) router.use(io.routes())
  router.use(loginRouter(authentication, { prefix: ['/api', `/${name}/api`], log: logger }).routes())
  if (events) {
    const stream = eventsRouter(service, events.hub, {
      // A stream asks again at each event, when there may have been no request for a long time.
      async authenticate(context) {
        await watch.look()
        return authentication.authenticate(context)
      },
      viewAs,
      prefix: ['/api/events', `/${name}/api/events`],
      log: logger,
    })
    router.use(stream.routes())
  }
  const tester = testerRouter({
    prefix: ['/api/tester', `/${name}/api/tester`],
    title,
    level,
    enabled: hasTester,
    log: logger,
  })
  router.use(tester.routes())
  koa.use(router.routes())
  return koa
}
