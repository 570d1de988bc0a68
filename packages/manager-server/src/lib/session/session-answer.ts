import type { WhoAmI } from '@steward/manager-core'

/** Who uses the pages. */
export interface SignedInUser extends WhoAmI {
  /** Null: by something else, such as a client certificate, which does not end here. Dates are ISO 8601 in UTC. */
  readonly session: { readonly id: string; readonly expires: string; readonly stays: boolean } | null
}

/** What `/api/session` answers. */
export interface SessionAnswer {
  /** Null: no user is signed in. */
  readonly item: SignedInUser | null
  /** After signing in: what the pages send as `X-Manager-Session`. */
  readonly key?: string
}
