import type { Ability } from '@steward/manager-core'

/** Who asks, once that is proved. */
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
}
