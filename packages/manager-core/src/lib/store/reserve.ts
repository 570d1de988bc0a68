import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { failureOf } from '../failure.js'

/** More than the registry needs for that, in bytes. */
const size = 256 * 1024

/** Room on the disk for undoing: what fills a disk must keep no operation from undoing all, and from saying so. */
export interface Reserve {
  /** Makes it when it is not there. On a full disk it is done without. */
  keep(): void
  /** Gives its room when the disk is full, and does the work once more. */
  use(work: () => Promise<void> | void): Promise<void>
}

/** @param database the registry: a file beside it is the reserve */
export function createReserve(database: string): Reserve {
  const file = `${database}-reserve`
  return {
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
