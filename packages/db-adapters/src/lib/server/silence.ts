import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseServerError } from './database-server.js'

/** Not specified; chosen as longer than a program looks for what it dumps in a database of many tables. */
export const dumpSilenceMs = 30 * 60_000
/** Not specified; chosen as longer than a server makes an index of a large table, during which nothing is read. */
export const restoreSilenceMs = 4 * 60 * 60_000

/** Ends a program that does nothing for too long: it may have been stopped, or wait for a lock for ever. */
export interface Silence {
  /** What the program writes; time in which it is not read does not count. */
  over(output: AsyncIterable<Buffer>): AsyncIterable<Buffer>
  /** Waits for what the program does next. @throws DatabaseServerError ERR_FAILED when that takes too long */
  during<T>(work: Promise<T>): Promise<T>
  /** Waits for the end of a program whose state must change meanwhile; a state of `undefined` is unknown. */
  until<T>(work: Promise<T>, state: () => Promise<unknown>): Promise<T>
}

export function createSilence({
  child,
  command,
  ms,
}: {
  readonly child: ChildProcess
  readonly command: string
  readonly ms: number
}): Silence {
  let tooLong: DatabaseServerError | undefined
  const end = () => {
    tooLong ??= new DatabaseServerError(
      'ERR_FAILED',
      `${command} neither wrote nor read anything for ${ms >= 60_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms} ms`} and was ended.`,
    )
    child.kill('SIGKILL')
    // Another process of its user may have these open, too.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
  }
  const during = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(end, ms)
    try {
      return await work
    } catch (error) {
      throw tooLong ?? error
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    during,
    async *over(output) {
      const iterator = output[Symbol.asyncIterator]()
      try {
        for (;;) {
          const { done, value } = await during(iterator.next())
          if (done) return
          yield value
        }
      } finally {
        await iterator.return?.()
      }
    },
    async until(work, state) {
      const stop = new AbortController()
      void watch(state, stop.signal)
      try {
        return await work
      } catch (error) {
        throw tooLong ?? error
      } finally {
        stop.abort()
      }
    },
  }

  async function watch(state: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    let last: unknown
    for (;;) {
      const now = await state()
      if (now !== undefined && now === last) return end()
      last = now
      try {
        await sleep(ms, undefined, { signal })
      } catch {
        return
      }
    }
  }
}
