import { join } from 'node:path'
import type { Router } from '@koa/router'
import type { BusinessObjects, DocumentStore, ObjectStore } from '@steward/rest-core'
import type { Logger } from 'pino'
import type { AppDefinition } from '../app-definition.js'
import type { LogRing } from '../log-ring.js'
import type { Settings } from '../settings.js'
import { ioRouter } from './io-router.js'
import { createPurges } from './purges.js'
import { createServiceAuthentication } from './service-account.js'

export interface IoOptions {
  readonly definition: AppDefinition
  readonly settings: Settings
  readonly service: BusinessObjects
  readonly store: ObjectStore
  readonly folder: string
  readonly dataFolder: string
  readonly documents: DocumentStore
  readonly logger: Logger
  readonly logs: LogRing | undefined
  readonly clearCaches: () => Promise<void>
}

/** Most bytes of a payload. Not specified; chosen as what still comes within minutes. */
const defaultMaxBytes = 2 ** 30

/** `/io` of an application, with the settings it needs; `undefined` when it has no service user: the address is not there. */
export function createIo(options: IoOptions): Router | undefined {
  const { definition, settings, service, store, folder, dataFolder, documents, logger, logs, clearCaches } = options
  const { name, trustedProxies: trustProxy = [], io = {}, authorizationHeader } = definition
  if (!settings.serviceAccount) {
    logger.debug('/io is off: STEWARD_SERVICE_USER and STEWARD_SERVICE_PASSWORD are not set')
    return undefined
  }
  const temporaryFolder = join(dataFolder, 'tmp')
  return ioRouter({
    addresses: ['/io', `/${name}/io`],
    authentication: createServiceAuthentication(settings.serviceAccount, {
      realm: `${name} io`,
      headerName: authorizationHeader,
      trustProxy,
    }),
    temporaryFolder,
    maxBytes: io.maxBytes ?? defaultMaxBytes,
    privateUrls: io.privateUrls ?? false,
    service,
    folder,
    name,
    logs,
    clearCaches,
    purges: createPurges({
      model: service.model,
      store,
      logs,
      temporaryFolder,
      documents,
    }),
    log: logger,
  })
}
