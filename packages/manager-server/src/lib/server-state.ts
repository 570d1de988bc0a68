import type { Principal } from './access/principal.js'

/** What middleware knows of a request. */
export interface ServerState {
  principal?: Principal
  /** Path before `/api`, for answers that name calls of the API. Absent: they name commands, as pages show them. */
  apiPrefix?: string
}
