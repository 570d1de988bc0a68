import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { failureOf } from './failure.js'
import { isBusy, sqliteFailure } from './sqlite-failure.js'

/** Locks between processes, held by the kernel: they die with their process, whatever ends it. */
export interface Locks {
  /**
   * Takes all keys, in sorted order, and gives them back after `work`.
   *
   * @throws ManagerError ERR_BUSY naming the holder when one is still taken after `waitMs`, or when the signal ends the
   *   waiting.
   */
  with<T>(keys: readonly string[], options: LockOptions, work: () => Promise<T>): Promise<T>
  /** Takes them if all are free. */
  tryAcquire(keys: readonly string[], purpose: string): Lock | undefined
  /** Who held a key last, as it wrote; it need not hold it any more. undefined: it was given back, or never held. */
  holder(key: string): string | undefined
}

export interface Lock {
  release(): void
}

export interface LockOptions {
  /** For others to read: `upgrade of demo by alice, process 4711, since 03:00:12`. */
  readonly purpose: string
  /** Default 0. */
  readonly waitMs?: number
  readonly onWait?: (key: string, holder: string) => void
  readonly signal?: AbortSignal | undefined
}

const pollMs = 50

/** Until they are released: the garbage collector would close those that the caller dropped, and free their locks. */
const heldNow = new Set<DatabaseSync>()

/**
 * A lock is SQLite's write lock on an empty file of its own: a portable way to the kernel's advisory locks, which Node
 * does not offer itself. Nothing is ever written to the file, so that no kill can damage it, and it stays: two processes
 * could hold two files of the same name otherwise. Who holds it stands in a file beside it.
 */
export function createLocks(folder: string): Locks {
  function fileOf(key: string): string {
    const name = encodeURIComponent(key.toWellFormed()).replaceAll('.', '%2E')
    // File systems take 255 bytes.
    const isName = name.length > 0 && name.length <= 120
    const short = isName ? name : createHash('sha256').update(key).digest('hex')
    return join(folder, short)
  }

  function holder(key: string): string | undefined {
    try {
      return readFileSync(`${fileOf(key)}.holder`, 'utf8') || undefined
    } catch {
      return undefined
    }
  }

  function acquire(key: string, purpose: string): Lock | undefined {
    const file = fileOf(key)
    let database: DatabaseSync | undefined
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      database = new DatabaseSync(file, { timeout: 0 })
      // Without a journal on the disk, which may be full.
      database.exec('pragma journal_mode = memory; begin immediate')
    } catch (error) {
      database?.close()
      if (isBusy(error)) return undefined
      throw failureOf(sqliteFailure(error, file))
    }
    const held = database
    heldNow.add(held)
    note(() => writeFileSync(`${file}.holder`, purpose))
    return {
      release() {
        note(() => rmSync(`${file}.holder`, { force: true }))
        heldNow.delete(held)
        held.close()
      },
    }
  }

  function tryAcquire(keys: readonly string[], purpose: string): Lock | undefined {
    const held: Lock[] = []
    try {
      for (const key of inOrder(keys)) {
        const lock = acquire(key, purpose)
        if (!lock) {
          releaseAll(held)
          return undefined
        }
        held.push(lock)
      }
    } catch (error) {
      releaseAll(held)
      throw error
    }
    return { release: () => releaseAll(held) }
  }

  return {
    holder,
    tryAcquire,
    async with(keys, { purpose, waitMs = 0, onWait, signal }, work) {
      const begin = performance.now()
      const held: Lock[] = []
      try {
        for (const key of inOrder(keys)) {
          for (let told = false; ; told = true) {
            const lock = acquire(key, purpose)
            if (lock) {
              held.push(lock)
              break
            }
            const who = holder(key) ?? 'another process'
            if (performance.now() - begin >= waitMs || signal?.aborted)
              throw new ManagerError('ERR_BUSY', `Busy: ${nameOf(key)} is in use by ${who}.`, {
                help: 'Wait for it to finish, or run the command with --wait.',
              })
            if (!told) onWait?.(key, who)
            // An aborted signal is seen above.
            await sleep(pollMs, undefined, { signal }).catch(() => undefined)
          }
        }
        return await work()
      } finally {
        releaseAll(held)
      }
    },
  }
}

/** All take them in the same order, so that no two of them wait for each other. */
function inOrder(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)].toSorted()
}

/** At most once. */
function releaseAll(held: Lock[]): void {
  for (let lock = held.pop(); lock; lock = held.pop()) lock.release()
}

/** Who holds it is good to know; a full disk must not prevent a lock. */
function note(write: () => void): void {
  try {
    write()
  } catch {
    // Others see "another process".
  }
}

/** What a lock is on, for people; its holder names the instance. */
function nameOf(key: string): string {
  const [kind = '', rest = ''] = key.split(/:(.*)/s)
  switch (kind) {
    case 'instance':
      return 'the instance'
    case 'name':
      return `the name "${rest}"`
    case 'trash':
      return `"${rest}" in the trash`
    default:
      return key
  }
}
