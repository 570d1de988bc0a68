import { join } from 'node:path'
import type { BusinessObjects, ObjectStore } from '@steward/rest-core'
import { createBusinessObjects } from '@steward/rest-core'
import {
  claimData,
  changePassword,
  createAdministrator,
  createRevokedTokens,
  createSystemParameters,
  createUserDirectory,
  createVersionWatch,
  findAdministrator,
  isDirectoryObject,
  prepareVersion,
} from '@steward/rest-core/system'
import type { NewAdministrator } from '@steward/rest-core/system'
import { createAuthentication, type Authenticator } from '@steward/rest-koa'
import type Koa from 'koa'
import type { Logger } from 'pino'
import type { AppDefinition } from './app-definition.js'
import { withAdminPassword } from './admin-password.js'
import { unusedCopies } from './application-modules.js'
import { createAudit } from './audit.js'
import { makeDataFolder } from './data-folder.js'
import { describeDatabase } from './describe/describe-database.js'
import { startDocumentCleaning } from './document-cleaning.js'
import { createEvents } from './events.js'
import { createIo } from './io/create-io.js'
import { startIndexUpkeep } from './index-upkeep.js'
import type { LogRing } from './log-ring.js'
import { mountApplication } from './mount-application.js'
import { findMigrations } from './migrations/load-migrations.js'
import { loadServedModel } from './model-of.js'
import { openDatabase, type DatabaseOptions } from './open-database.js'
import { openDocuments } from './open-documents.js'
import { openAuthenticator } from './plugins.js'
import { prepareTables } from './prepare-tables.js'
import { loadSecrets } from './secret.js'
import type { Settings } from './settings.js'
import { runSetup } from './setup.js'
import type { Primary } from './workers/join-primary.js'
import { connectionsEach } from './workers/worker-count.js'

export interface ApplicationOptions {
  /** Folder of the application; relative paths in its definition start there. */
  readonly folder: string
  /** Where secrets, documents and embedded databases are kept. Default `<folder>/data`. */
  readonly dataFolder?: string
  readonly definition: AppDefinition
  readonly settings: Settings
  readonly logger: Logger
  /** The last lines of the log, for `/io`. Default: it has none. */
  readonly logs?: LogRing
  /** Serve the tables that are in the database as they are, and keep the system objects beside it. Default false. */
  readonly introspect?: boolean
  /** With `introspect`: the schemas whose tables are served. Default: that of the connection. */
  readonly schemas?: readonly string[] | undefined
  /** Let the database lose columns, or parts of their values, that no field uses any more. Default false. */
  readonly destructive?: boolean
  /** Make sure that there is an administrator. Default true; pass false when a generated password would not be seen. */
  readonly makeAdministrator?: boolean
  /**
   * Another process of this server has just done it all: tables, first records, administrator. Default false.
   */
  readonly isPrepared?: boolean
  /** Builds indexes that are not in step, and removes documents that no record refers to: in one process. Default true. */
  readonly withUpkeep?: boolean
  /** How many processes share the connections to the database. Default 1. */
  readonly processes?: number
  /** When this process is one of several workers. */
  readonly primary?: Pick<Primary, 'status' | 'reportWith'> | undefined
}

/** An application that is ready to serve. */
export interface Application {
  readonly koa: Koa
  readonly service: BusinessObjects
  /** Set when this start made it: show it once. */
  readonly newAdministrator: NewAdministrator | undefined
  /** Login of an active administrator, if there is one. */
  readonly administrator: string | undefined
  /** Aborts actions, ends streams of events and calls of webhooks: what would continue while the server stops. */
  endStreams(): Promise<void>
  /** Does that too, and closes the database. */
  close(): Promise<void>
}

/**
 * Loads the objects, brings the database in step with them, makes the first administrator, fills a new application, and
 * mounts the REST service.
 *
 * @throws DefinitionError, SettingsError, StoreError: each says what to do.
 */
export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const { folder, dataFolder = join(folder, 'data'), definition, settings, logger, introspect = false } = options
  const { isPrepared = false, withUpkeep = true, processes = 1 } = options
  await makeDataFolder(dataFolder)
  const database = { folder, definition, settings, dataFolder, introspect, connections: connectionsEach(processes) }
  const store = await openDatabase(database)
  const opened: (() => Promise<void> | undefined)[] = [() => store.close()]
  try {
    const found = introspect ? await describeDatabase(store, logger, { schemas: options.schemas }) : undefined
    for (const copy of introspect ? [] : unusedCopies(folder)) logger.warn(copy)
    const model = await loadServedModel(folder, definition, found)
    const freshTables = isPrepared ? new Set<string>() : await makeTables(store, model, database, options)
    await prepareVersion(model, store)
    const { instance } = settings
    if (!isPrepared && instance !== undefined && (await claimData({ model, store, instance })))
      logger.info('The data was copied from another instance. Its open background actions and messages stay there')
    const parameters = createSystemParameters({ model, store, onWrongValue: (text) => logger.warn(text) })
    const { passwordless = false, tokenMinutes } = definition
    if (passwordless) logger.warn('Users without a password sign in with their login alone (passwordless in app.yaml)')
    const directory = createUserDirectory({ model, store, passwordless })
    const authenticator: Authenticator = definition.authenticator
      ? await openAuthenticator(folder, definition.authenticator, { users: directory })
      : { ...directory, changePassword: (user, password) => changePassword(service, user, password) }
    if (authenticator.close) opened.push(() => authenticator.close?.())
    const [secret, ...oldSecrets] = settings.tokenSecrets ?? (await loadSecrets(join(dataFolder, 'token.secret')))
    const authentication = createAuthentication({
      authenticator,
      tokens: {
        secret,
        oldSecrets,
        store: createRevokedTokens({ model, store }),
        ...(tokenMinutes !== undefined && { lifetimeSeconds: tokenMinutes * 60 }),
      },
      passwordless,
      sessionCookie: definition.level?.startsWith('3.') ?? false,
      realm: definition.name,
      ...(definition.authorizationHeader !== undefined && { headerName: definition.authorizationHeader }),
      trustProxy: definition.trustedProxies ?? [],
      ...(definition.publicUser !== undefined && {
        publicPrincipal: () => directory.principalOfLogin(definition.publicUser as string),
      }),
    })
    const place = settings.documents === undefined ? undefined : 'STEWARD_DOCUMENTS'
    const documents = await openDocuments(folder, dataFolder, definition.documents, place)
    if (documents.close) opened.push(() => documents.close?.())
    const { neutralised } = settings
    if (neutralised) logger.warn('Neutralised: webhooks are not called, nothing is sent out (STEWARD_NEUTRALISED)')
    const clearCaches = (): void => {
      directory.clear()
      authentication.clear()
      parameters.clear()
    }
    const watch = createVersionWatch({
      model,
      store,
      onChange: clearCaches,
      onError: (error) => logger.error(error, 'Changes by other servers cannot be read for now'),
    })
    opened.push(() => watch.close())
    const principalOf = async (userId: string) => {
      await watch.look()
      return directory.principalOf(userId)
    }
    const events = await createEvents({ definition, model, store, principalOf, logger, neutralised })
    const audit = createAudit({ model, store, keepDays: definition.audit?.keepDays, logger })
    const service = createBusinessObjects({
      model,
      store,
      documents,
      onChange({ object }) {
        events?.hub.notify()
        if (object.name === 'SystemParam') parameters.clear()
        if (!isDirectoryObject(object)) return
        directory.clear()
        authentication.clear()
      },
      onError: (error) => logger.error(error, 'A task after a request failed'),
      ...(definition.batchSeconds !== undefined && { batchMs: definition.batchSeconds * 1000 }),
      requestId: audit?.requestId,
      tasks: {
        durable: {},
        // With the rights that the authenticator gives.
        async principalOf(userId) {
          await watch.look()
          return authenticator.principalOf(userId)
        },
      },
    })
    const fresh = !isPrepared && definition.setup !== undefined && (await runSetup(service, folder, definition.setup))
    if (fresh) logger.info(`${definition.setup} filled the application`)
    const io = createIo({
      definition,
      settings,
      service,
      store,
      folder,
      dataFolder,
      documents,
      logger,
      logs: options.logs,
      clearCaches: () => watch.raise(),
    })
    const koa = mountApplication({
      definition,
      migrations: introspect ? undefined : await findMigrations(folder),
      service,
      store,
      authentication,
      // With the rights that the authenticator gives.
      async viewAs(login) {
        const user = await directory.principalOfLogin(login)
        return user && authenticator.principalOf(user.userId)
      },
      watch,
      parameters,
      dataFolder,
      neutralised,
      cachedUsers: () => directory.size,
      logger,
      primary: options.primary,
      io,
      events,
      audit,
    })
    const indexUpkeep = withUpkeep ? await startIndexUpkeep({ service, logger, freshTables }) : undefined
    // Last, because its password is shown once: nothing may fail between.
    const { adminLogin: login, adminPassword: password } = settings
    const { makeAdministrator = !isPrepared } = options
    const newAdministrator = makeAdministrator
      ? await withAdminPassword(createAdministrator(service, { login, password, fresh }))
      : undefined
    const administrator = newAdministrator?.login ?? (await findAdministrator(service, login))
    if (newAdministrator) logger.info(`User "${administrator}" is an administrator now`)
    else if (makeAdministrator && administrator === undefined)
      logger.warn(
        'No active user is in the group ADMIN, so the application has no administrator; to create one, use ' +
          '--reset-admin',
      )
    events?.start(service)
    const cleaning = withUpkeep ? startDocumentCleaning({ model, store, documents, logger }) : undefined
    return { koa, service, newAdministrator, administrator, endStreams, close }

    async function endStreams(): Promise<void> {
      await Promise.all([service.close(), events?.close()])
    }

    async function close(): Promise<void> {
      await indexUpkeep?.stop()
      await cleaning?.stop()
      await endStreams()
      await audit?.close()
      await closeAll()
    }
  } catch (error) {
    await closeAll()
    throw error
  }

  async function closeAll(): Promise<void> {
    for (const end of opened.toReversed()) await end()
  }
}

/** Returns tables that were made. */
async function makeTables(
  store: ObjectStore,
  model: BusinessObjects['model'],
  database: DatabaseOptions,
  { logger, destructive = false }: ApplicationOptions,
): Promise<ReadonlySet<string>> {
  const { before, plan, after } = await prepareTables(store, model, { ...database, destructive })
  const { steps, leftover } = plan
  const fresh = new Set(steps.filter(({ kind }) => kind === 'createTable').map(({ table }) => table))
  for (const name of before) logger.info(`Database: migration ${name}`)
  for (const { kind, table, description } of steps) {
    // Indexes and foreign keys of a new table are part of making it.
    logger[kind !== 'createTable' && fresh.has(table) ? 'debug' : 'info'](`Database: ${description}`)
  }
  for (const name of after) logger.info(`Database: migration ${name}`)
  for (const { table, column } of leftover)
    logger.warn(`Database: no field uses ${table}.${column}; it is kept (--destructive drops it)`)
  return fresh
}
