import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import type { Copy, InstanceSpec } from '../runtime/runtime.js'
import { applicationServerOf } from '../servers/application-server.js'
import { firstLimits } from '../settings/limits.js'
import type { DocumentsSettings } from '../settings/settings.js'
import { constraintsOf } from './placement.js'
import { webappSpec } from './webapp-spec.js'

export interface SpecOptions {
  /** Default: the copy that serves. */
  readonly copy?: Copy | undefined
  /** Folder of the application that it runs. Default: the instance's. */
  readonly app?: string | undefined
}

/** How an instance is run: its command, environment (with secrets) and limits, from its settings and its version's. */
export async function specOf(
  context: ManagerContext,
  instance: Pick<Instance, 'id' | 'version' | 'port'>,
  { copy, app: other }: SpecOptions = {},
): Promise<InstanceSpec> {
  const { home, settings, databases } = context
  const { folder, app: usual, data } = home.instance(instance.id)
  const app = other ?? usual
  const [own, version] = await Promise.all([settings.instance(folder), settings.version(instance.version)])
  const { passedOn, log, externalApiKey, proxy } = settings.global
  const account = databases.account(folder, own)
  const shared = {
    id: instance.id,
    folder,
    ...(copy !== undefined && { copy }),
    port: instance.port,
    limits: firstLimits(own.limits, version.limits, settings.global.limits),
    log,
    ...heapOf(own.maxMemoryMb ?? version.maxMemoryMb),
    ...((own.placement !== undefined || own.replicas !== undefined) && {
      swarm: { placement: constraintsOf(own.placement), replicas: own.replicas ?? 1 },
    }),
  }
  const variables = {
    ...passedOn,
    ...(externalApiKey && { APPS_EXTERNAL_API_KEY: externalApiKey.reveal() }),
    ...version.passedOn,
    ...own.others,
  }
  if (isWebapp(app)) {
    const options = { app, data, version: instance.version, own, settings: version, databaseName: account.name }
    const webapp = webappSpec(options)
    return { ...shared, ...webapp, environment: { ...variables, ...webapp.environment } }
  }
  return {
    ...shared,
    command: [process.execPath, applicationServerOf(context, app), app, '--data', data],
    workingFolder: app,
    takesSockets: true,
    ...(own.database === 'sqlite' && { needs: account.name }),
    environment: {
      // Else all clients would be one for it.
      ...(proxy.enabled && { STEWARD_TRUSTED_PROXIES: 'loopback' }),
      ...(own.documents !== undefined && keysOf(settings.global.documents)),
      ...variables,
      STEWARD_DATABASE: databases.server(own.database).url(account),
      STEWARD_HOST: '127.0.0.1',
      STEWARD_PORT: String(instance.port),
      STEWARD_SERVICE_USER: own.user,
      STEWARD_SERVICE_PASSWORD: own.password.reveal(),
      STEWARD_ADMIN_LOGIN: own.adminUser,
      STEWARD_ADMIN_PASSWORD: own.adminPassword.reveal(),
      STEWARD_INSTANCE: instance.id,
      STEWARD_NEUTRALISED: String(own.neutralised ?? false),
      ...(own.documents !== undefined && { STEWARD_DOCUMENTS: own.documents }),
    },
  }
}

/** As programs of AWS take them; an instance may have variables of its own instead. */
function keysOf({ accessKey, secretKey }: DocumentsSettings): Readonly<Record<string, string>> {
  if (accessKey === undefined || !secretKey) return {}
  return { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey.reveal() }
}

function heapOf(maxMemoryMb: number | undefined): Pick<InstanceSpec, 'maxMemoryMb'> {
  return maxMemoryMb === undefined ? {} : { maxMemoryMb }
}
