import type { Backups } from './backup/backup.js'
import type { Certificates } from './certificates/create-certificates.js'
import type { Databases } from './databases/databases.js'
import type { Home } from './domain/home.js'
import type { Json } from './domain/json.js'
import type { Hooks } from './hooks/hooks.js'
import type { Mailer } from './mail/mail.js'
import type * as engine from './operation/operation.js'
import type { Proxies } from './proxies/proxies.js'
import type { Runs } from './runs/runs.js'
import type { Runtimes } from './runtime/runtimes.js'
import type { Settings } from './settings/settings.js'
import type { Registry } from './store/registry.js'
import type { RegistryCopies } from './store/registry-copies.js'
import type { Locks } from './system/locks.js'
import type { Uptime } from './system/uptime.js'
import type { Plugins } from './system/plugins.js'
import type { Targets } from './targets/targets.js'
import type { Templates } from './templates/template-source.js'

/** What actions and operations work with. Parts are made when they are first used. */
export interface ManagerContext {
  readonly home: Home
  readonly settings: Settings
  readonly plugins: Plugins
  readonly registry: Registry
  /** The last few copies of the registry beside it. */
  readonly registryCopies: RegistryCopies
  readonly locks: Locks
  readonly operations: Operations
  /** Actions that processes of their own perform, for the server. */
  readonly runs: Runs
  /** What runs instances: each has one of them. */
  readonly runtimes: Runtimes
  readonly databases: Databases
  readonly templates: Templates
  readonly backups: Backups
  /** Where backups are copied to. */
  readonly targets: Targets
  readonly certificates: Certificates
  readonly hooks: Hooks
  readonly mailer: Mailer
  /** The reverse proxy in front of instances and manager. */
  readonly proxies: Proxies
  readonly clock: () => Date
  /** How long the machine has been running. */
  readonly uptime: () => Uptime
  /** Absolute path of the program that serves an application: `app-server`'s `cli.js`. */
  readonly applicationServer: string
  /** Absolute path of the template that ships with the manager. */
  readonly defaultTemplate: string
  /** What performs unattended actions: the program, absolute, with its first arguments. */
  readonly command: readonly string[]
}

/** What the engine runs, with the context of this manager. */
export type Operations = engine.Operations<ManagerContext>
export type OperationKind<Request extends Json = Json, Facts extends Json = Json> = engine.OperationKind<
  ManagerContext,
  Request,
  Facts
>
export type Plan = engine.Plan<ManagerContext>
export type Step = engine.Step<ManagerContext>
export type StepRun = engine.StepRun<ManagerContext>
