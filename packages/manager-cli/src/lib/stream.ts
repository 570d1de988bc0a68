import { printable } from './output/text.js'
import type { Surroundings } from './surroundings.js'
import { write } from './write.js'

export interface StreamOptions {
  readonly json: boolean
  readonly signal: AbortSignal
  /** How people read a line. Default: as it is. */
  readonly shown?: (line: string) => string
}

/**
 * Prints lines as they come, until there are no more, the reader has gone, or the signal. As JSON a line is
 * `{"line":"…"}`; a terminal gets nothing that it would obey.
 */
export async function printStream(
  lines: AsyncIterable<string>,
  { stdout }: Pick<Surroundings, 'stdout'>,
  { json, signal, shown = stdout.isTTY ? printable : (line) => line }: StreamOptions,
): Promise<void> {
  const textOf = (line: string) => (json ? JSON.stringify({ line }) : shown(line))
  const iterator = lines[Symbol.asyncIterator]()
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  signal.addEventListener('abort', onAbort)
  try {
    while (!signal.aborted) {
      const next = await Promise.race([iterator.next(), aborted])
      if (next === undefined || next.done) return
      if (!(await write(stdout, `${textOf(next.value)}\n`))) return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    // One that does not heed the signal must not keep the command.
    void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
