import { statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './errors.js'
import { requireFile } from './open.js'

/** A file that holds one state of a database and does not change until it is released. */
export interface Snapshot {
  readonly file: string
  readonly handle: FileHandle
  readonly bytes: number
  release(): Promise<void>
}

/**
 * Not specified; chosen as a few seconds, within which a busy database has a moment without readers or writers. A process
 * that is frozen inside a transaction never has one.
 */
const attempts = 15
const busyTimeoutMs = 100

/**
 * Holds the database file still while others write, without a copy of it: once the log (`-wal`) is moved into the file
 * and empty, a read transaction that starts then reads the file alone, and SQLite moves nothing into the file before
 * that transaction ends; what others write stays in the log. Source: https://www.sqlite.org/walformat.html, "WAL_READ_LOCK(0)".
 *
 * A database on which that moment does not come is copied to `<file>.snapshot`.
 */
export async function takeSnapshot(file: string, signal?: AbortSignal): Promise<Snapshot> {
  requireFile(file)
  // Opened first and closed last: closing a file gives up the locks that its process has on it.
  const handle = await open(file, 'r')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: busyTimeoutMs })
    if (size(file) === 0) database.exec('pragma journal_mode = wal')
    for (let attempt = 1; attempt <= attempts; attempt++) {
      signal?.throwIfAborted()
      if (holdStill(database, file)) return held(file, handle, database)
      await sleep(10 * attempt, undefined, { signal })
    }
    return await copied(file, handle, database)
  } catch (error) {
    database?.close()
    await handle.close()
    throw error
  }
}

function holdStill(database: DatabaseSync, file: string): boolean {
  try {
    const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
    if (busy !== 0) return false
    database.exec('begin')
    database.prepare('select count(*) from sqlite_schema').get()
    if (size(`${file}-wal`) === 0) return true
    database.exec('rollback')
    return false
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    if (isBusy(error)) return false
    throw error
  }
}

function held(file: string, handle: FileHandle, database: DatabaseSync): Snapshot {
  return {
    file,
    handle,
    bytes: size(file),
    async release() {
      if (database.isOpen) database.close()
      await handle.close()
    },
  }
}

async function copied(file: string, handle: FileHandle, database: DatabaseSync): Promise<Snapshot> {
  const copy = `${file}.snapshot`
  await rm(copy, { force: true })
  try {
    // In one step, which reads one state.
    await backup(database, copy, { rate: 2 ** 31 - 1 })
    const opened = await open(copy, 'r')
    database.close()
    await handle.close()
    return {
      file: copy,
      handle: opened,
      bytes: size(copy),
      async release() {
        await opened.close()
        await rm(copy, { force: true })
      },
    }
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
}

function size(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
