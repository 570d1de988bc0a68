import { readFileSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import type { ProcessStat } from '../system/process-table.js'
import { createProcessTable, lookAt } from './look.js'
import type { Usage } from './runtime.js'

/** How many instances are looked at before other work has its turn. */
const atATime = 50
/** The unit of `/proc/<pid>/statm`, on all systems that Node's binaries are built for. */
const pageBytes = 4096

/** What the processes of these instances use. @param runs folders `run/`, by any key; what does not run is left out */
export async function usageOf(runs: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Usage>> {
  const table = createProcessTable(true)
  const found = new Map<string, Usage>()
  let looked = 0
  for (const [key, run] of runs) {
    if (++looked % atATime === 0) await breathe()
    const { supervisor, application, strays } = lookAt(run, table)
    const session = supervisor?.identity.pid ?? application?.stat.session
    const stats = session === undefined ? strays : table.session(session)
    if (stats.length > 0) found.set(key, sumOf(stats))
  }
  return found
}

/** What they use together. */
export function sumOf(stats: readonly ProcessStat[]): Usage {
  const cpuSeconds = new Map(stats.map(({ pid, start, cpuSeconds: seconds }) => [`${pid} ${start}`, seconds]))
  const bytes = stats.reduce((sum, { pid }) => sum + residentBytes(pid), 0)
  return { memoryMb: bytes / 1_048_576, cpuSeconds }
}

/** 0: it has ended. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes
  } catch {
    return 0
  }
}
