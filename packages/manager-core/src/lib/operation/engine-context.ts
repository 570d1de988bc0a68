import type { Home } from '../domain/home.js'
import type { Registry } from '../store/registry.js'
import type { RegistryCopies } from '../store/registry-copies.js'
import type { Locks } from '../system/locks.js'

/** What the engine itself works with; kinds and steps get all that the context of their manager has. */
export interface EngineContext {
  readonly home: Home
  readonly registry: Registry
  readonly registryCopies: RegistryCopies
  readonly locks: Locks
}
