import { lines } from './lines.js'
import { queryOf } from './query.js'
import type { Transport } from './transport.js'
import type { CallOptions, ChangeEvent } from './types.js'
import { longestPauseMs, wait } from './wait.js'

/** Before the stream is opened again, unless it says how long. Not specified; chosen so that a restart is soon noticed. */
const pauseMs = 500

export interface EventOptions extends CallOptions {
  /** Only of these objects. Default: all that the user may read. */
  readonly objects?: readonly string[] | undefined
  /** Continues after the event with this id. Default: from now on. */
  readonly after?: string | undefined
  /** Called with the id to continue after, whenever it changes: when the stream opens, and after each event. */
  readonly onPosition?: ((id: string) => void) | undefined
}

/**
 * Changes of records as they happen, until the loop ends or `signal` is aborted. After a lost connection the stream goes
 * on after the last event, so none is missed. Source: docs/spec/wire-decisions.md, "additions".
 */
export async function* readEvents(
  { send }: Transport,
  { objects, after, onPosition, signal }: EventOptions = {},
): AsyncGenerator<ChangeEvent> {
  let last = after
  let pause = pauseMs
  for (;;) {
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': last }
    const { body } = await send({
      beside: true,
      path: `/events${queryOf({ object: objects?.join() })}`,
      headers,
      signal,
    })
    let id: string | undefined
    let data = ''
    try {
      for await (const line of lines(body, signal)) {
        if (line.startsWith('retry:')) pause = Number(line.slice(6)) || pause
        else if (line.startsWith('id:')) id = line.slice(3).trim()
        else if (line.startsWith('data:')) data += line.slice(5)
        else if (line === '') {
          if (data !== '') yield { ...(JSON.parse(data) as ChangeEvent), id: id ?? last ?? '' }
          data = ''
          // The stream says where it is without an event, too.
          if (id !== undefined && id !== last) {
            last = id
            onPosition?.(id)
          }
        }
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof TypeError)) throw error
    }
    await wait(Math.min(pause, longestPauseMs), signal)
  }
}
