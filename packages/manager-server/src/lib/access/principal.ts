import type { Ability, Session } from '@steward/manager-core'

/** The caller, once authenticated. */
export interface Principal {
  /** For the history: the login, `token <name>`, or `certificate <common name>`. */
  readonly actor: string
  readonly abilities: ReadonlySet<Ability>
  /** Ids of the only instances that it may see and touch; undefined: all. */
  readonly instances?: ReadonlySet<string>
  /** See `Caller.hosts`. */
  readonly hosts?: ReadonlySet<string>
  /** IP address that the request came from. */
  readonly address: string
  /** The session of the pages that it came by; undefined: it came by something else. */
  readonly session?: Session
  /** Whether what proved the caller still holds: the session, the token, the password. */
  holds(): boolean
}
