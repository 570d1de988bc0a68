import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocks } from '../system/locks.js'

export interface TakenPorts {
  /** As `APPS_PORTS` has it. */
  readonly range: string
  release(): void
}

/** 100 ports below the system's own that no other test of this machine has, in whatever process, until they are released. */
export function takePorts(): TakenPorts {
  const locks = createLocks(join(tmpdir(), 'steward-test-ports'))
  for (;;) {
    const from = 12_000 + randomInt(180) * 100
    const lock = locks.tryAcquire([String(from)], `tests, process ${process.pid}`)
    if (lock) return { range: `${from}-${from + 99}`, release: () => lock.release() }
  }
}
