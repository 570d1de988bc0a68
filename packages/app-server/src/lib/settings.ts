import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parseSecrets, type Secrets } from './secret.js'
import type { WorkerTask } from './workers/messages.js'

/** What may be set from outside, over what `app.yaml` says. */
export interface Settings {
  /** Which of the application's `environments` applies; it must be there. */
  readonly environment: string | undefined
  /** `NODE_ENV`: applies when nothing else is said and the application has an environment of this name. */
  readonly nodeEnvironment: string | undefined
  readonly database: string | undefined
  /** Over `synchronous` of `app.yaml`. */
  readonly synchronous?: 'normal' | 'full' | undefined
  /** Over `documents` of `app.yaml`. */
  readonly documents?: string | undefined
  readonly host: string | undefined
  readonly port: number | undefined
  /** Over `workers` of `app.yaml`. */
  readonly workers?: number | 'auto' | undefined
  /** This process is one of several workers; set by the primary for those that it starts. */
  readonly worker?: WorkerTask | undefined
  readonly adminLogin: string | undefined
  readonly adminPassword: string | undefined
  readonly logLevel: string | undefined
  /** Which instance it is; data of another one were copied. */
  readonly instance?: string | undefined
  /** `true`: a copy that sends nothing out. Its code can ask for it in `STEWARD_NEUTRALISED`. */
  readonly neutralised: boolean
  /** Addresses or ranges of trusted proxies, when `app.yaml` does not name them. */
  readonly trustedProxies?: readonly string[] | undefined
  /** Sign tokens, in place of the file in the data folder, which several servers may not share. */
  readonly tokenSecrets?: Secrets | undefined
  /** The one user of `/io`; absent: `/io` is off. */
  readonly serviceAccount?: { readonly user: string; readonly password: string } | undefined
}

/**
 * Adds what the file says that `STEWARD_ENV_FILE` names: variables that others may not see who see those of a container.
 * What is set already stays.
 *
 * @throws SettingsError when it cannot be read
 */
export function readEnvironmentFile(environment: NodeJS.ProcessEnv): void {
  const file = environment['STEWARD_ENV_FILE']
  if (!file) return
  try {
    const variables = parseEnv(readFileSync(file, 'utf8'))
    for (const [name, value] of Object.entries(variables)) environment[name] ??= value
  } catch (error) {
    throw new SettingsError(`STEWARD_ENV_FILE names a file that cannot be read: ${(error as Error).message}.`)
  }
}

/**
 * Reads the settings from environment variables; the only place that does. Empty variables count as not set.
 * Not specified; chosen with one prefix, so that they can be listed.
 *
 * @throws SettingsError naming the variable.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const text = (name: string) => environment[name] || undefined
  return Object.freeze({
    environment: text('STEWARD_ENV'),
    nodeEnvironment: text('NODE_ENV'),
    database: text('STEWARD_DATABASE'),
    synchronous: readSynchronous(text('STEWARD_SYNCHRONOUS')),
    documents: text('STEWARD_DOCUMENTS'),
    host: text('STEWARD_HOST'),
    port: readPort(text('STEWARD_PORT'), 'STEWARD_PORT'),
    workers: readWorkers(text('STEWARD_WORKERS'), 'STEWARD_WORKERS'),
    worker: readWorker(text('STEWARD_WORKER')),
    adminLogin: text('STEWARD_ADMIN_LOGIN'),
    adminPassword: text('STEWARD_ADMIN_PASSWORD'),
    logLevel: text('STEWARD_LOG_LEVEL'),
    instance: text('STEWARD_INSTANCE'),
    neutralised: readYesNo(text('STEWARD_NEUTRALISED'), 'STEWARD_NEUTRALISED'),
    trustedProxies: text('STEWARD_TRUSTED_PROXIES')
      ?.split(',')
      .map((range) => range.trim()),
    tokenSecrets: readTokenSecrets(text('STEWARD_TOKEN_SECRET')),
    serviceAccount: readServiceAccount(text),
  })
}

/** A word that is neither must not be taken for the weaker one. */
function readSynchronous(text: string | undefined): Settings['synchronous'] {
  if (text === undefined || text === 'normal' || text === 'full') return text
  throw new SettingsError(`STEWARD_SYNCHRONOUS must be normal or full, not "${text}".`)
}

/** A word that is neither must not be taken for "send everything". */
function readYesNo(text: string | undefined, name: string): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw new SettingsError(`${name} must be true or false, not "${text}".`)
}

/** The message does not show it. */
function readTokenSecrets(text: string | undefined): Settings['tokenSecrets'] {
  const secrets = parseSecrets(text?.split(',') ?? [])
  if (text === undefined || secrets) return secrets
  throw new SettingsError(
    'STEWARD_TOKEN_SECRET must be at least 32 random bytes in base64, more than one separated by commas; ' +
      'make one with: openssl rand -base64 32',
  )
}

/** The names without prefix are those of the requirements. */
function readServiceAccount(text: (name: string) => string | undefined): Settings['serviceAccount'] {
  const user = text('STEWARD_SERVICE_USER') ?? text('SERVICE_USER')
  const password = text('STEWARD_SERVICE_PASSWORD') ?? text('SERVICE_PASSWORD')
  if (user === undefined && password === undefined) return undefined
  if (user === undefined || password === undefined || user.includes(':'))
    throw new SettingsError(
      'STEWARD_SERVICE_USER (without ":") and STEWARD_SERVICE_PASSWORD belong together; set both, or none to switch /io off.',
    )
  return { user, password }
}

/** The same symbol in every copy of this package. */
const brand = Symbol.for('@steward/app-server/SettingsError')

/** A setting that cannot be used; the message says which and what to do. */
export class SettingsError extends Error {
  readonly code = 'ERR_SETTINGS'

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is SettingsError {
    return typeof value === 'object' && value !== null && brand in value
  }

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'SettingsError'
  }
}

/** 0 lets the system choose. */
export function readPort(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new SettingsError(`${name} must be a port from 0 to 65535, not "${text}".`)
  return port
}

/** More are a mistake on any machine. */
const mostWorkers = 1000

/** `auto`: one per CPU core. */
export function readWorkers(text: string | undefined, name: string): number | 'auto' | undefined {
  if (text === undefined || text === 'auto') return text
  const count = Number(text)
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > mostWorkers)
    throw new SettingsError(`${name} must be a whole number from 1 to ${mostWorkers}, or auto, not "${text}".`)
  return count
}

/** Without a channel to a primary the variable was inherited by another process. */
function readWorker(text: string | undefined): WorkerTask | undefined {
  return text === undefined || !process.connected ? undefined : (JSON.parse(text) as WorkerTask)
}
