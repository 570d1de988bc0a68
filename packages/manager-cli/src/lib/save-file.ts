import { randomUUID } from 'node:crypto'
import { link, open, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ManagerError } from '@steward/manager-core/errors'
import type { ActionResult } from '@steward/manager-core'
import type { Surroundings } from './surroundings.js'
import { write } from './write.js'

type SentFile = NonNullable<ActionResult['file']>

/**
 * Writes a file under its own name into the current folder, or where `output` says: a folder, a file, or `-` for the
 * standard output. It appears when it is whole; an existing one is never replaced.
 *
 * @returns its path; undefined for the standard output
 * @throws ManagerError ERR_STATE when it is there already, ERR_FAILED when it cannot be written
 */
export async function saveFile(
  file: SentFile,
  output: string | undefined,
  { stdout, cwd }: Pick<Surroundings, 'stdout' | 'cwd'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (output === '-') {
    if (stdout.isTTY)
      throw new ManagerError(
        'ERR_USAGE',
        `${file.name} is a binary file. Pipe it to a program, or name a file with --output.`,
      )
    for await (const chunk of file.content()) {
      signal.throwIfAborted()
      if (!(await write(stdout, chunk))) return undefined
    }
    return undefined
  }
  const path = await placeFor(file.name, resolve(cwd, output ?? '.'))
  const draft = `${path}.${randomUUID().slice(0, 8)}.part`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      for await (const chunk of file.content()) {
        signal.throwIfAborted()
        await handle.writeFile(chunk)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(draft, path)
  } catch (error) {
    if (ManagerError.is(error)) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(path)
    throw new ManagerError('ERR_FAILED', `${path} cannot be written: ${(error as Error).message}`, { cause: error })
  } finally {
    await rm(draft, { force: true })
  }
  return path
}

/** @throws ManagerError ERR_STATE, before anything is read */
async function placeFor(name: string, place: string): Promise<string> {
  const found = await stat(place).catch(() => undefined)
  if (!found) return place
  if (!found.isDirectory()) throw isThere(place)
  return placeFor('', join(place, name))
}

function isThere(path: string): ManagerError {
  return new ManagerError('ERR_STATE', `${path} already exists.`, {
    help: 'Remove it, or name another file with --output.',
  })
}
