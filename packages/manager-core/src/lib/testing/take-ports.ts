import { randomInt } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createLocks } from '../system/locks.js'
import { isPortFree } from '../system/port.js'

export interface TakenPorts {
  /** As `APPS_PORTS` has it. */
  readonly range: string
  release(): void
}

/**
 * In one place for the machine, as each run of the tests has a temporary folder of its own; a machine within this one,
 * whose `/tmp` cannot be written, has its own ports.
 */
const folder = join(canWrite('/tmp') ? '/tmp' : tmpdir(), `steward-test-ports-${userInfo().username}`)

/** 100 ports below the system's own that no other test of this machine has, in whatever process, until they are released. */
export function takePorts(): TakenPorts {
  const locks = createLocks(folder)
  for (;;) {
    const from = 12_000 + randomInt(180) * 100
    const lock = locks.tryAcquire([String(from)], `tests, process ${process.pid}`)
    if (lock) return { range: `${from}-${from + 99}`, release: () => lock.release() }
  }
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const ownPorts: number[] = []

/**
 * One such port, for as long as this process runs. A port that the system chose and that was closed again would not do:
 * until it is listened on, any connection of another test may be given it.
 */
export async function takeTestPort(): Promise<number> {
  for (;;) {
    if (ownPorts.length === 0) {
      const from = Number.parseInt(takePorts().range, 10)
      ownPorts.push(...Array.from({ length: 100 }, (_, index) => from + index))
    }
    const port = ownPorts.shift()!
    if (await isPortFree(port)) return port
  }
}
