import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applicationServer, defaultTemplate, freePort, healthy, median, openHome, progress } from './commands.ts'
import type { Figure, Size } from './figure.ts'

/** `manager add` to its end, which is a healthy instance, against a bare application server with a new database. */
export async function benchStart({ rounds }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const ours: number[] = []
  const bare: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      bare.push(await startBare())
      ours.push(await home.manager('add', `bench${round}`))
      await home.manager('stop', `bench${round}`)
      progress(`start ${round + 1}/${rounds}: ${ours.at(-1)?.toFixed(0)} ms, bare ${bare.at(-1)?.toFixed(0)} ms`)
    }
  } finally {
    await home.close()
  }
  const title = 'add, start, healthy (to: the bare application server starts)'
  return [{ title, ours: median(ours), peer: median(bare), unit: 'ms', atMost: 2.5 }]
}

async function startBare(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bench-bare-'))
  cpSync(defaultTemplate, join(folder, 'app'), { recursive: true })
  const port = await freePort()
  const begin = performance.now()
  const args = [applicationServer, join(folder, 'app'), '--data', join(folder, 'data'), '--port', String(port)]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  await healthy(`http://127.0.0.1:${port}/health`)
  const taken = performance.now() - begin
  child.kill('SIGKILL')
  await once(child, 'exit')
  rmSync(folder, { recursive: true, force: true })
  return taken
}
