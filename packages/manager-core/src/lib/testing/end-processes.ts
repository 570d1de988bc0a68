import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, stateOf } from '../system/process-identity.js'

/** Processes of this machine whose command line or environment names this folder (a temporary one of a test). */
export function processesOf(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => ['cmdline', 'environ'].some((file) => read(`/proc/${pid}/${file}`).includes(folder)))
    .filter((pid) => identify(pid) !== undefined)
}

/** Kills them, also those that come while others end; resolves when none is left. */
export async function endProcessesOf(folder: string): Promise<void> {
  for (;;) {
    const found = processesOf(folder).flatMap((pid) => identify(pid) ?? [])
    if (found.length === 0) return
    for (const identity of found) if (stateOf(identity) === 'alive') kill(identity.pid)
    // One that is ending has no command line any more, but its ports still.
    while (found.some((identity) => stateOf(identity) === 'alive')) await sleep(5)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
