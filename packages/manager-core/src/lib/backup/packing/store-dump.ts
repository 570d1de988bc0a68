import type { FileHandle } from 'node:fs/promises'
import type { DirectDump, DirectDumpOptions } from '@steward/db-adapters/server'
import { runChain, type Command, type ExitCodes } from '../../accounts/program.js'

/**
 * A dump in an empty file, which it closes, and which is not yet on the disk when this resolves. Whether it is whole is
 * found out by reading it back.
 *
 * @param programs of which the first one reads the dump, and the last one writes the file
 */
export async function storeDump(
  dump: DirectDump,
  file: FileHandle,
  programs: readonly Command[],
  { signal, onBegun }: DirectDumpOptions,
): Promise<ExitCodes> {
  const stop = new AbortController()
  let dumping: Promise<unknown> | undefined
  let starved: unknown
  try {
    const { codes } = await runChain(programs, {
      file: file.fd,
      signal,
      feed(input) {
        const made = dump.into(input, { signal: AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]), onBegun })
        dumping = made
        return made.catch((error: unknown) => {
          if (!/SIGPIPE|Broken pipe|EPIPE/.test((error as Error).message)) throw error
          starved = error
          throw Object.assign(new Error('It could not write its dump.', { cause: error }), { code: 'EPIPE' })
        })
      },
    })
    return codes
  } catch (error) {
    stop.abort(error)
    throw (error as Error).cause === starved && starved !== undefined ? starved : error
  } finally {
    // It writes no more then.
    await dumping?.catch(() => undefined)
    await file.close()
  }
}
