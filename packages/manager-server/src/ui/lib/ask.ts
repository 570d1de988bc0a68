import { createStore } from '@steward/page-kit'
import { signInAddress } from './addresses.js'
import { pageHeaders } from './session-key.js'

/** Whether the session has ended, so that the user has to sign in over the page. */
export const hasSessionEnded = createStore(false)

let wasSignedIn = false
/** Grows with each sign-in. */
let turn = 0

/**
 * Asks the server as the user. While no user is signed in it waits: for the user to sign in over the page, which keeps
 * what was typed, or, when nothing was shown yet, for the page that asks for the password.
 *
 * @throws as `fetch`
 */
export async function ask(address: string | URL, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const begun = turn
    const response = await fetch(address, { ...init, headers: { ...pageHeaders(), ...init.headers } })
    if (response.status !== 401) {
      wasSignedIn = true
      return response
    }
    if (begun === turn) await untilSignedIn(init.signal ?? undefined)
  }
}

/** Everything that waits is asked again. */
export function signedIn(): void {
  turn++
  hasSessionEnded.set(false)
}

/** Has the user sign in: over the page, or on a page of its own when nothing was shown yet. */
export function untilSignedIn(signal?: AbortSignal): Promise<void> {
  if (wasSignedIn) hasSessionEnded.set(true)
  else location.replace(signInAddress())
  return new Promise((resolve, reject) => {
    const end = () => {
      if (hasSessionEnded.get() && !signal?.aborted) return
      stop()
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve()
    }
    const stop = hasSessionEnded.subscribe(end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
