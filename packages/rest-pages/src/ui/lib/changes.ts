import { RestClientError, type ChangeEvent } from '@steward/rest-client'
import { useEffect, useRef } from 'preact/hooks'
import { client, useSession } from './session.js'

/** What has changed; undefined: that is not known any more. */
export type Listener = (change: ChangeEvent | undefined) => void

/** Before a stream that broke is opened again. */
const pauseMs = 5000

const listeners = new Set<Listener>()
/** Where the stream continues. */
let last: string | undefined
/** The application has no events, or this user may not have them. */
let isRefused = false
let stream: AbortController | undefined

/** Hears of changes of records that the user may read, while the page is seen. Without events it hears of nothing. */
export function useChanges(listener: Listener): void {
  const { kind } = useSession()
  const current = useRef(listener)
  current.current = listener
  useEffect(() => {
    const hear: Listener = (change) => current.current(change)
    listeners.add(hear)
    openOrClose()
    return () => {
      listeners.delete(hear)
      // The next screen listens at once.
      setTimeout(openOrClose)
    }
  }, [kind])
}

/** For another user. */
export function forgetChanges(): void {
  stream?.abort()
  stream = undefined
  last = undefined
  isRefused = false
}

/** Browsers open few connections to a server: only pages that are seen have one. */
function openOrClose(): void {
  const isWanted = listeners.size > 0 && document.visibilityState === 'visible'
  if (!isWanted) {
    stream?.abort()
    stream = undefined
  } else if (!stream && !isRefused) {
    stream = new AbortController()
    void follow(stream.signal)
  }
}

document.addEventListener('visibilitychange', openOrClose)

async function follow(signal: AbortSignal): Promise<void> {
  const ask = () => client.events({ after: last, signal, onPosition: (id) => (last = id) })
  while (!signal.aborted) {
    try {
      for await (const change of ask()) {
        // A gap names no object.
        for (const listener of [...listeners]) listener(change.object ? change : undefined)
      }
    } catch (reason) {
      if (signal.aborted) return
      if (RestClientError.is(reason) && reason.status >= 400 && reason.status < 429) {
        isRefused = reason.status !== 401
        stream = undefined
        return
      }
    }
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs)
      addEventListener('online', resolve, { once: true })
    })
  }
}
