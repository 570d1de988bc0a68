import type { Principal } from './access/principal.js'

/** What middleware knows of a request. */
export interface ServerState {
  principal?: Principal
}
