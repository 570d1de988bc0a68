import type { FailureBody } from './answer.js'
import { ApiFailure } from './api.js'
import { ask } from './ask.js'
import { createEventParser, type StreamEvent } from './event-parser.js'

/** `connecting`: first attempt; `live`: events come; `waiting`: it broke and is tried again; `offline`: no network. */
export type StreamState = 'connecting' | 'live' | 'waiting' | 'offline'

export interface FollowOptions {
  readonly signal: AbortSignal
  /** @returns true when that was the last one */
  readonly onEvent: (event: StreamEvent) => boolean | void
  readonly onState?: (state: StreamState) => void
  /** A connection was made, the first one or another one. */
  readonly onOpen?: () => void
  /** Whether a stream that the server ended without a last event is at its end. Default: it is asked again. */
  readonly isOver?: () => boolean
}

/** Longest pause between two attempts, in ms. */
const longestPauseMs = 8000
/** The server says something at least that often; else the connection is dead, though it was not closed. In ms. */
const silenceMs = 60_000

/**
 * Reads events until the last one, over connections that break, servers that are started again, and hours without a
 * network. It continues after the event that came last.
 *
 * @throws ApiFailure when the server refuses: trying again would not help. What the signal was aborted with.
 */
export async function followEvents(address: string, options: FollowOptions): Promise<void> {
  const { signal, onEvent, onState = () => {}, isOver = () => false } = options
  let last = ''
  let pause = 250
  onState('connecting')
  for (;;) {
    try {
      const done = await readOnce(address, last, {
        signal,
        onOpen() {
          onState('live')
          options.onOpen?.()
        },
        onEvent(event) {
          pause = 250
          last = event.id
          return onEvent(event)
        },
      })
      if (done || isOver()) return
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiFailure) throw error
    }
    onState(navigator.onLine ? 'waiting' : 'offline')
    await rest(pause, signal)
    pause = Math.min(pause * 2, longestPauseMs)
  }
}

/** @returns whether the last event came */
async function readOnce(
  address: string,
  last: string,
  { signal, onOpen, onEvent }: Pick<Required<FollowOptions>, 'signal' | 'onOpen' | 'onEvent'>,
): Promise<boolean> {
  const broken = new AbortController()
  const breakOff = () => broken.abort(new Error('The connection is gone.'))
  globalThis.addEventListener('offline', breakOff)
  let silence = setTimeout(breakOff, silenceMs)
  try {
    const response = await ask(address, {
      headers: {
        Accept: 'text/event-stream',
        ...(last !== '' && { 'Last-Event-ID': last }),
      },
      cache: 'no-store',
      signal: AbortSignal.any([signal, broken.signal]),
    })
    await assertAccepted(response)
    onOpen()
    const parse = createEventParser()
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return false
      clearTimeout(silence)
      silence = setTimeout(breakOff, silenceMs)
      for (const event of parse(value))
        if (onEvent(event) === true) {
          await reader.cancel()
          return true
        }
    }
  } finally {
    clearTimeout(silence)
    globalThis.removeEventListener('offline', breakOff)
  }
}

/** Faults of the server and of what is before it pass; refusals stay. */
async function assertAccepted(response: Response): Promise<void> {
  if (response.ok && response.headers.get('Content-Type')?.startsWith('text/event-stream')) return
  const body = (await response.json().catch(() => undefined)) as FailureBody | undefined
  if (response.status >= 500 || response.status === 429) throw new Error(`HTTP ${response.status}`)
  throw new ApiFailure(response.status, body ?? { message: `HTTP ${response.status}` })
}

/** Waits, at most until the network is back. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      globalThis.removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(signal.reason as Error)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    globalThis.addEventListener('online', end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
