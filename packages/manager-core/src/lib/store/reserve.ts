import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { failureOf } from '../system/failure.js'

/** More than the registry needs for that, in bytes. */
const size = 1024 * 1024

/** Room on the disk for undoing: what fills a disk must keep no operation from undoing all, and from saying so. */
export interface Reserve {
  isThere(): boolean
  /** Makes it when it is not there. On a full disk it is done without. */
  keep(): void
  /** Gives its room when the disk is full, and does the work once more. */
  use(work: () => Promise<void> | void): Promise<void>
  /** Gives its room for what frees more, when the disk is full. */
  release(): void
}

/** Whether so little is free that a registry may not be written any more. */
export function isDiskFull(folder: string): boolean {
  return freeBytes(folder) < size
}

/** For this user. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** @param database the registry: a file beside it is the reserve */
export function createReserve(database: string): Reserve {
  const file = `${database}-reserve`
  return {
    release() {
      if (isDiskFull(dirname(file))) rmSync(file, { force: true })
    },
    isThere: () => existsSync(file),
    keep() {
      if (existsSync(file)) return
      try {
        writeFileSync(file, Buffer.alloc(size, 1), { mode: 0o600 })
      } catch {
        rmSync(file, { force: true })
      }
    },
    async use(work) {
      try {
        await work()
      } catch (error) {
        if (failureOf(error).code !== 'ERR_DISK' || !existsSync(file)) throw error
        rmSync(file, { force: true })
        await work()
      }
    },
  }
}
