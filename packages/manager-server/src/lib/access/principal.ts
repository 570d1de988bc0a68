import type { Grant, Session } from '@steward/manager-core'

/** The caller, once authenticated. */
export interface Principal {
  /** For the history: the login, `token <name>`, or `certificate <common name>`. */
  readonly actor: string
  /** What it may do, by what it proved itself with. */
  readonly grant: Grant
  /** IP address that the request came from. */
  readonly address: string
  /** The session of the pages that it came by; undefined: it came by something else. */
  readonly session?: Session
  /** Whether what proved the caller still holds: the session, the token, the password. */
  holds(): boolean
}
