import type { ProcessIdentity } from '../system/process-identity.js'
import type { Publication } from './site.js'

/** One product. It knows its language and its program, and nothing of instances. */
export interface ReverseProxy {
  readonly type: 'nginx' | 'httpd'
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
   * Makes the running program take its configuration anew. Returns before all of it is done.
   *
   * @throws ManagerError ERR_FAILED with what it said
   */
  reload(): Promise<void>
  /** Its worker processes now; undefined: it does not run. */
  workers(): Promise<readonly ProcessIdentity[] | undefined>
  /** Whether a worker takes no new connections any more, because it ends; undefined: that cannot be seen. */
  isEnding(worker: ProcessIdentity): boolean | undefined
}

export interface Generation {
  /** Absolute path of its folder. */
  readonly folder: string
  /** Told by each site at `probePath`. */
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

/** Every site tells its generation there, in this header, with status 204. */
export const probePath = '/.well-known/steward-proxy'
export const generationHeader = 'X-Steward-Generation'

/** Host of a site that is always there: it takes what is for no other one, and answers 404. */
export const probeHost = 'steward-proxy.invalid'
