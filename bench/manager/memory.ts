import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, healthy, median, openHome, processesOf, progress, residentMiB } from './commands.ts'
import type { Figure, Size } from './figure.ts'

/** How long a process is left alone before it counts as idle. */
const idleMs = 5000

/**
 * All processes of one idle instance (supervisor and application server) against Koa with better-sqlite3 and nothing else. A process that
 * is none of the instance's is a failure: the manager keeps none alive.
 */
export async function benchMemory({ rounds }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const ours: number[] = []
  const bare: number[] = []
  try {
    await home.manager('add', 'bench')
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      bare.push(await bareMiB())
      await home.manager('stop', 'bench')
      await home.manager('start', 'bench')
      await healthy(`${urlOf(home.json('get', 'bench'))}/health`)
      await sleep(idleMs)
      const processes = processesOf(home.folder)
      const managers = processes.filter(({ command }) => command.includes('manager-cli'))
      if (managers.length > 0) throw new Error(`The manager left processes: ${JSON.stringify(managers)}`)
      ours.push(processes.reduce((sum, { pid }) => sum + residentMiB(pid), 0))
      progress(
        `memory ${round + 1}: ${processes.length} processes, ${ours.at(-1)?.toFixed(1)} MiB, bare ${bare.at(-1)?.toFixed(1)} MiB`,
      )
    }
  } finally {
    await home.close()
  }
  const title = 'memory of an idle instance (to: Koa + better-sqlite3)'
  return [{ title, ours: median(ours), peer: median(bare), unit: 'MiB', atMost: 1.3 }]
}

function urlOf(answer: Record<string, unknown>): string {
  return (answer.item as { url: string }).url.replace(/\/$/, '')
}

async function bareMiB(): Promise<number> {
  const port = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL('bare.mjs', import.meta.url)), String(port)], {
    stdio: 'inherit',
  })
  await healthy(`http://127.0.0.1:${port}/`)
  await sleep(idleMs)
  const memory = residentMiB(child.pid as number)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return memory
}
