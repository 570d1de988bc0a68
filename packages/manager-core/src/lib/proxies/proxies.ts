import type { Caller } from '../domain/caller.js'
import type { DrainOptions } from './drain.js'
import type { Problem } from './problem.js'
import type { Upstream } from './site.js'

/** Publishes instances and the manager by the reverse proxy of the settings. All is a no-op with APPS_PROXY=no. */
export interface Proxies {
  /**
   * Brings what the reverse proxy serves in line with the registry: rendered aside, tested as a whole, put in force
   * atomically, reloaded and probed; when the new configuration does not come, the one before is put in force again. One at
   * a time, under the lock `proxy`; who finds that others did it already does nothing. May be called again at any time.
   *
   * @throws ManagerError ERR_BUSY; ERR_SETTINGS when the program or its main file is not there or does not include what is
   *   published; ERR_FAILED with the program's output. What was served is still served.
   */
  publish(caller: Caller, options?: PublishOptions): Promise<PublishResult>
  /** Waits until no connection goes to what was published before the last publication. See `drained`. */
  drained(options: DrainOptions): Promise<boolean>
  /** What would be published and what is; renders and tests, but changes nothing. */
  check(caller: Caller): Promise<ProxyCheck>
  /** What was published last, and whether the program runs. */
  status(): Promise<ProxyStatus>
}

export interface PublishOptions {
  /** Where the server of the manager listens now, `address:port`, or `unix:` and a path; remembered. */
  readonly manager?: string
  /** Where it wakes instances, likewise; remembered. */
  readonly waker?: string
  /** Looks at all files, and repairs what was changed by others. Default: only whether something else is wanted. */
  readonly repair?: boolean
  /** Tries snippets again that were refused. Default: when they are others. */
  readonly retry?: boolean
}

export interface PublishResult {
  /** `off`: APPS_PROXY=no. */
  readonly state: 'off' | 'unchanged' | 'published'
  /** Problems that are new, for people. */
  readonly warnings: readonly string[]
}

export interface ProxyCheck {
  /** Undefined: the configuration would be taken. */
  readonly refusal: string | undefined
  readonly output: string
  /** Snippets that would be left out, and the rest. */
  readonly problems: readonly Problem[]
  /** Whether publishing would change something. */
  readonly isDue: boolean
}

export interface ProxyStatus {
  readonly enabled: boolean
  readonly type: string
  /** Whether its program runs; true while nothing was published. */
  readonly running: boolean
  readonly generation: string
  readonly published: string
  readonly problems: readonly Problem[]
  /** Where the server of the manager wakes instances, and the ids of those whose requests pass it. */
  readonly waker: Upstream | undefined
  readonly sleepers: readonly string[]
  /** Ids of instances that requests are passed on to, and of those for which the proxy answers itself. */
  readonly open: readonly string[]
  readonly closed: readonly string[]
  /** Why nothing could be published since then; empty: nothing was to be. */
  readonly failure: string
}
