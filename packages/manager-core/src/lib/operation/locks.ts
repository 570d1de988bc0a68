import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'

/** Locks between processes, held by the kernel: they die with their process, whatever ends it. */
export interface Locks {
  /**
   * Takes all keys, in sorted order, and gives them back after `work`.
   *
   * @throws ManagerError ERR_BUSY naming the holder when one is still taken after `waitMs`.
   */
  with<T>(keys: readonly string[], options: LockOptions, work: () => Promise<T>): Promise<T>
  /** Takes them if all are free. */
  tryAcquire(keys: readonly string[], purpose: string): { release(): void } | undefined
  /** Who holds a key, as last written; undefined when it was never held. */
  holder(key: string): string | undefined
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

/**
 * A lock is SQLite's write lock on a file of its own: a portable way to the kernel's advisory locks, which Node does not
 * offer itself. Who holds it stands in a file beside it.
 */
export function createLocks(folder: string): Locks {
  const fileOf = (key: string) => join(folder, encodeURIComponent(key).replaceAll('.', '%2E'))

  function holder(key: string): string | undefined {
    try {
      return readFileSync(`${fileOf(key)}.holder`, 'utf8')
    } catch {
      return undefined
    }
  }

  function acquire(key: string, purpose: string): { release(): void } | undefined {
    mkdirSync(folder, { recursive: true })
    const file = fileOf(key)
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('begin immediate')
    } catch (error) {
      database.close()
      if (isBusy(error)) return undefined
      throw error
    }
    writeFileSync(`${file}.holder`, purpose)
    return {
      release() {
        rmSync(`${file}.holder`, { force: true })
        database.close()
      },
    }
  }

  function tryAcquire(keys: readonly string[], purpose: string): { release(): void } | undefined {
    const held: { release(): void }[] = []
    const release = () => held.toReversed().forEach((lock) => lock.release())
    for (const key of [...new Set(keys)].toSorted()) {
      const lock = acquire(key, purpose)
      if (!lock) {
        release()
        return undefined
      }
      held.push(lock)
    }
    return { release }
  }

  return {
    holder,
    tryAcquire,
    async with(keys, { purpose, waitMs = 0, onWait, signal }, work) {
      const begin = performance.now()
      const held: { release(): void }[] = []
      try {
        for (const key of [...new Set(keys)].toSorted()) {
          let told = false
          for (;;) {
            const lock = acquire(key, purpose)
            if (lock) {
              held.push(lock)
              break
            }
            const who = holder(key) ?? 'another process'
            if (performance.now() - begin >= waitMs)
              throw new ManagerError('ERR_BUSY', `Busy: ${key} is held by ${who}.`, {
                help: 'Wait for it to end, or repeat the command with --wait.',
              })
            if (!told) onWait?.(key, who)
            told = true
            await sleep(pollMs, undefined, { signal })
          }
        }
        return await work()
      } finally {
        for (const lock of held.toReversed()) lock.release()
      }
    },
  }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5
}
