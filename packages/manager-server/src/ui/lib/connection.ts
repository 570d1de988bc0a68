import { createStore } from '@steward/page-kit'
import { apiAddress } from './addresses.js'
import { pageHeaders } from './session-key.js'

const tryAgainMs = 3000

/** Whether the server answered the last question. */
export const isConnected = createStore(true)

let timer: ReturnType<typeof setTimeout> | undefined

/** To be called after each request. While there is no answer, the server is asked again and again. */
export function reached(yes: boolean): void {
  isConnected.set(yes)
  clearTimeout(timer)
  if (!yes) timer = setTimeout(() => void tryAgain(), tryAgainMs)
}

async function tryAgain(): Promise<void> {
  try {
    const { status } = await fetch(apiAddress('whoami'), { headers: pageHeaders() })
    // A reverse proxy says so when its server does not answer.
    reached(![502, 503, 504].includes(status))
  } catch {
    reached(false)
  }
}

globalThis.addEventListener('offline', () => reached(false))
globalThis.addEventListener('online', () => void tryAgain())
