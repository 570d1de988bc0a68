import type { ProcessIdentity } from '../system/process-identity.js'
import type { ProxySettings } from '../settings/settings.js'
import type { Publication } from './site.js'

/** One product. It knows its language and its program, and nothing of instances. */
export interface ReverseProxy {
  /** As `APPS_HTTPSERVER` names it: `nginx`, `httpd`, or a package. */
  readonly type: string
  /** @throws ManagerError ERR_SETTINGS when its program or its main file is not there. */
  version(): Promise<string>
  /** Texts of all files of a generation by their path in its folder; files that the main file includes end in `.conf`. */
  render(publication: Publication, generation: Generation, version: string): ReadonlyMap<string, string>
  /**
   * Tests its whole configuration as it would be with `folder` as the published one.
   *
   * @returns undefined: it is good
   */
  test(folder: string): Promise<ProxyRefusal | undefined>
  /**
   * Makes the running program reload its configuration. Returns before all of it is done.
   *
   * @throws ManagerError ERR_FAILED with what it said
   */
  reload(): Promise<void>
  /** Its worker processes now; undefined: it does not run. */
  workers(): Promise<readonly ProcessIdentity[] | undefined>
  /** Whether a worker takes no new connections any more, because it ends; undefined: that cannot be seen. */
  isEnding(worker: ProcessIdentity): boolean | undefined
}

/** What a package exports as `reverseProxy`, for `APPS_HTTPSERVER=<package>`. */
export interface ReverseProxyPlugin {
  /** No I/O. */
  make(parts: ReverseProxyParts): ReverseProxy
}

export interface ReverseProxyParts {
  readonly settings: ProxySettings
  /** Shows the manager that a request came through this proxy: it stands in the header that the built-in ones set. */
  readonly secret: string
  /** What the manager itself would use, for all that a package does alike. */
  readonly builtIn: Readonly<Record<'nginx' | 'httpd', () => ReverseProxy>>
}

export interface Generation {
  /** Absolute path of its folder. */
  readonly folder: string
  /** Returned by each site at `probePath`. */
  readonly id: string
}

/** Why a configuration is refused. */
export interface ProxyRefusal {
  /** File and line that it names, if it does. */
  readonly file?: string
  readonly line?: number
  readonly message: string
  /** All that it said. */
  readonly output: string
}

/** Every site returns its generation there, in this header, with status 204. */
export const probePath = '/.well-known/steward-proxy'
export const generationHeader = 'X-Steward-Generation'

/** Host of a site that is always there: it takes what is for no other one, and answers 404. */
export const probeHost = 'steward-proxy.invalid'
