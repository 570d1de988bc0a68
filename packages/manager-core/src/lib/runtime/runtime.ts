import type { Observed } from '../domain/instance.js'
import type { Limits } from '../domain/limits.js'
import type { PortOwner } from '../system/connect-to-owner.js'
import type { ProcessInfo } from '../system/process-table.js'
import type { LimitInForce } from './limits/limits.js'
import type { TomcatSpec } from './tomcat/tomcat-spec.js'

/**
 * What runs instances: a detached process, a systemd unit, a Tomcat, a container. One contract suite (`@steward/manager-core/testing`) runs on each. Nothing is signalled, stopped or shown as ours unless its
 * identity matches (a process: pid, start time and boot id).
 */
export interface Runtime {
  /** Stable name in settings and errors, e.g. `process`. */
  readonly name: string
  readonly capabilities: RuntimeCapabilities
  /** Whether it can be used here, for `doctor`. */
  probe(): Promise<{ readonly ok: boolean; readonly message: string }>
  /** How instances that are started now are held to their limits, in a sentence. Absent: they are not. */
  howLimited?(): string
  /** Makes or changes what is needed to start the instance; no start. One that runs is changed from its next start on. */
  define(spec: InstanceSpec): Promise<void>
  /** Takes that away; nothing to do when there is nothing. The instance is stopped. */
  undefine(spec: InstanceRef): Promise<void>
  /** Starts it; resolves when it is under way, not when it is healthy. Nothing to do when it runs. */
  start(spec: InstanceSpec, options?: StartOptions): Promise<void>
  /** Ends it, all its copies: gracefully, after `graceMs` by force. Nothing to do when it does not run. */
  stop(ref: InstanceRef, options: StopOptions): Promise<ExitInfo>
  /**
   * Freezes it. The caller has written down that it must be resumed, and does so; should the manager be killed, it
   * continues by itself within seconds; in any case soon after `maxMs`. Nothing to do when it does not run. Absent: not supported.
   */
  suspend?(ref: InstanceRef, options: { readonly maxMs: number }): Promise<void>
  /** May be repeated. */
  resume?(ref: InstanceRef): Promise<void>
  /** Which copy serves. Absent, as `serve`: two copies cannot run. */
  serving?(ref: InstanceRef): Promise<Copy>
  /** From now on this copy is the instance; nothing is started or stopped. One step for all who look; may be repeated. */
  serve?(ref: InstanceRef, copy: Copy): Promise<void>
  /**
   * Replaces what runs of an instance with several tasks by this, a task after the other, and waits for the end of that.
   * Puts the former ones back by itself when a new one fails. Absent, as `unroll`: it cannot.
   */
  roll?(spec: InstanceSpec, options: RollOptions & { readonly windowMs: number }): Promise<Rolled>
  /** Puts back what ran before `roll` with this id, unless that has been done already. */
  unroll?(ref: InstanceRef, options: RollOptions): Promise<void>
  /**
   * Path of the Unix socket where it takes requests, also for a while after it ended, and where no other user can be in its
   * place. Absent, or undefined: it takes them at its port only.
   */
  socketOf?(ref: InstanceRef): string | undefined
  /** Who listens at its port. Absent: its account, or the user of the manager. @throws Error when that is not known */
  ownerOfPort?(ref: InstanceRef): PortOwner
  observe(ref: InstanceRef): Promise<Observation>
  /** Observes many at once, cheaply: for lists. */
  observeAll(refs: readonly InstanceRef[]): Promise<ReadonlyMap<string, Observed>>
  processes(ref: InstanceRef): Promise<readonly ProcessInfo[]>
  /**
   * Processes of instances whose homes are below a folder, by the instance's id, also of those whose home is lost.
   * Absent: not known.
   */
  processesBelow?(instances: string): Promise<ReadonlyMap<string, readonly ProcessInfo[]>>
  /** Measures many at once, cheaply, by their ids: for monitoring. What does not run, or is not known, is left out. */
  usageAll(refs: readonly InstanceRef[]): Promise<ReadonlyMap<string, Usage>>
  logs(ref: InstanceRef, options: LogOptions): AsyncIterable<string>
}

/** What a runtime can do. */
export interface RuntimeCapabilities {
  /** Two copies may run side by side while switching: `serving` and `serve` are there. */
  readonly parallelCopies: boolean
  /** `suspend` and `resume` are there. */
  readonly suspend: boolean
  /** Memory and CPU may be limited. */
  readonly limits: boolean
  /** It is started again after a boot without the manager. */
  readonly bootStart: boolean
  /** It goes back by itself when a new version is not healthy: `roll` and `unroll` are there. */
  readonly nativeRollback: boolean
  /** `processes` gives pids of this machine. */
  readonly processes: boolean
  /** It may be started with its debugger open on loopback, see `StartOptions`. */
  readonly debug: boolean
  /**
   * It runs them on other machines, too: nothing that they need may be on this one only, neither a database nor documents
   * nor an account. Default: no.
   */
  readonly elsewhere?: boolean
}

/** Name of one of the two copies of an instance that there may be; usually only one runs, either of them. */
export type Copy = 'a' | 'b'

/** Which instance. `folder` is its home. */
export interface InstanceRef {
  readonly id: string
  readonly folder: string
  /** One of its copies. Default: the one that serves; for `stop` and `undefine`, all. They have one log. */
  readonly copy?: Copy
}

/** How an instance is run. No secrets in `command`; `environment` is never shown or logged. */
export interface InstanceSpec extends InstanceRef {
  /** Program and arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingFolder: string
  readonly port: number
  /** Its program takes sockets that listen already (`LISTEN_FDS` of sd_listen_fds(3)), beside its port. */
  readonly takesSockets?: boolean
  /** Absolute path without which it is not started again after a crash: its program would make a new, empty one. */
  readonly needs?: string
  /** Limit of the heap, in megabytes; undefined: no limit. */
  readonly maxMemoryMb?: number
  /** Limits of all its processes together. Default: none but the runtime's own. */
  readonly limits?: Limits
  /** The log is cut into parts of about `maxBytes` while it runs, and that many of them are kept beside the last one. */
  readonly log: { readonly maxBytes: number; readonly keep: number }
  /** What serves a Java web application, whose `command` is empty. Absent: it is none. */
  readonly tomcat?: TomcatSpec
  /** How it is spread over machines. Absent: one task, on any. */
  readonly swarm?: SwarmSpec
}

/** For a runtime that has several machines. */
export interface SwarmSpec {
  /** Conditions on labels of the machines, as the engine writes them: `node.labels.disk==ssd`. */
  readonly placement: readonly string[]
  /** How many tasks serve at the same time. */
  readonly replicas: number
}

export interface StartOptions {
  /** Open the debugger on loopback, on a free port, for a while: `Observation.debugAddress`. */
  readonly debug?: boolean
  /** Aborted before it is under way, it rejects with the reason, and nothing runs. */
  readonly signal?: AbortSignal
}

export interface StopOptions {
  /** How long it may finish, in ms. */
  readonly graceMs: number
  /** At once, without grace. */
  readonly force?: boolean
}

export interface RollOptions {
  /** Different for each change, and the same when it is undone. */
  readonly id: string
  /** How long all of it may take, in ms. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface Rolled {
  readonly state: 'completed' | 'rolled-back'
  /** Why it was rolled back. */
  readonly message: string
}

export interface ExitInfo {
  /** False: it did not run. */
  readonly wasRunning: boolean
  readonly code?: number
  readonly signal?: string
  /** It had to be killed. */
  readonly forced?: boolean
}

export interface Observation {
  /** `starting` with a `lastExit`: it crashed, and is started again after a pause. */
  readonly state: Observed
  /** ISO 8601; since when it runs, or when it ended. */
  readonly since?: string
  /** How often it was started again after a crash since it was started. */
  readonly restarts: number
  readonly pids: readonly number[]
  readonly lastExit?: {
    readonly code?: number
    readonly signal?: string
    readonly at: string
    /** A limit that ended it: `ran out of its memory limit of 512 MB`. Absent: none is known to have. */
    readonly reason?: string
  }
  /** Limits that were set, and what holds them. Absent: none, or it does not run. */
  readonly limits?: readonly LimitInForce[]
  /** Debugger's address while it is open: `127.0.0.1:9229`. */
  readonly debugAddress?: string
  /**
   * What the runtime keeps of a started instance, and no longer exists: `container steward-…`. The next start makes it
   * again. Also set before the first start.
   */
  readonly missing?: string
}

/** What an instance uses. */
export interface Usage {
  /** Megabytes resident, of all its processes. */
  readonly memoryMb: number
  /** Seconds of CPU used so far, by process: a key that no later process has. */
  readonly cpuSeconds: ReadonlyMap<string, number>
}

export interface LogOptions {
  /** Last lines first given. Default 100. */
  readonly lines?: number
  /**
   * Only lines that what it makes takes are given, and counted: it is asked of each in their order. It may be made
   * several times, and is not asked of more than the last 100,000 lines.
   */
  readonly filter?: (() => (line: string) => boolean) | undefined
  /** Continue with what is written from now on, over rotations, until `signal`. */
  readonly follow?: boolean
  readonly signal?: AbortSignal
}
