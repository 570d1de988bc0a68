import { createWriteStream, existsSync } from 'node:fs'
import { constants, copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DumpOptions } from '../../server/database-server.js'
import { DatabaseServerError } from '../../server/database-server.js'
import { progressOf } from '../../server/progress.js'
import { checkFile } from './check-file.js'
import { openExisting, requireFile, tablesOf } from './open.js'
import { takeSnapshot } from './snapshot.js'

/** Files that SQLite puts beside a database. */
export const besides = ['-wal', '-shm', '-journal'] as const

/** Makes a database in WAL mode, so that a dump of it is a whole file; what is there is left alone. */
export async function createFile(file: string): Promise<void> {
  if (existsSync(file)) requireFile(file)
  await (await open(file, 'a', 0o600)).close()
  const database = new DatabaseSync(file, { timeout: 5_000 })
  try {
    database.exec('pragma journal_mode = wal')
  } finally {
    database.close()
  }
}

export async function removeFiles(file: string): Promise<void> {
  for (const suffix of ['', '.restoring', '.snapshot', ...besides]) await rm(file + suffix, { force: true })
}

/** Puts content in place of the database, when it is a sound one. */
export async function restoreFile(file: string, content: Readable, options: DumpOptions): Promise<void> {
  const { signal, onProgress } = options
  requireEmpty(file)
  await mkdir(dirname(file), { recursive: true })
  try {
    await replace(file, async (part) => {
      const output = createWriteStream(part, { mode: 0o600 })
      await pipeline(content, progressOf(onProgress), output, signal ? { signal } : {})
      await checkFile(part)
    })
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}

/** Shares the blocks where the file system can. */
export async function copyFileOf(from: string, to: string, { signal, onProgress }: DumpOptions): Promise<void> {
  requireEmpty(to)
  const snapshot = await takeSnapshot(from, signal)
  try {
    await replace(to, (part) => copyFile(snapshot.file, part, constants.COPYFILE_FICLONE))
    onProgress?.(snapshot.bytes)
  } finally {
    await snapshot.release()
  }
}

/** @throws what the file system or SQLite says */
export function isEmptyFile(file: string): boolean {
  const database = openExisting(file)
  try {
    return tablesOf(database).length === 0
  } finally {
    database.close()
  }
}

function requireEmpty(file: string): void {
  if (!existsSync(file) || isEmptyFile(file)) return
  throw new DatabaseServerError('ERR_EXISTS', `Cannot write the database "${file}": it is not empty.`)
}

async function replace(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.restoring`
  await rm(part, { force: true })
  try {
    await write(part)
    await sync(part)
    // A log of the old file would be played into the new one.
    for (const suffix of besides) await rm(file + suffix, { force: true })
    await rename(part, file)
    await sync(dirname(file))
  } finally {
    for (const suffix of ['', ...besides]) await rm(part + suffix, { force: true })
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
