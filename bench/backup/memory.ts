import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { managerProgram, openHome, progress, type BenchHome } from '../manager/commands.ts'
import { addStopped } from '../manager/files.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { onlyBackup } from './only-backup.ts'
import { configure, openSsh, openSwift, type Store } from './stores.ts'

/** 150 MB. */
const limitMiB = 150e6 / 2 ** 20

/**
 * The most memory that the manager's process has while it saves, verifies, copies, reads back and fetches a backup ten
 * times as large as the other benches have, of documents that do not compress. At most two copies are kept at the same time.
 */
export async function benchMemory({ megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const size = megabytes * 10
  const figures: Figure[] = []
  const measure = async (title: string, ...args: readonly string[]) => {
    const ours = await peakMiB(home, args)
    progress(`memory, ${title}: ${ours.toFixed(0)} MiB`)
    figures.push({ title: `memory, ${title} of ${size} MB (to: 150 MB)`, ours, peer: limitMiB, unit: 'MiB', atMost: 1 })
  }
  let store: Store | undefined
  try {
    const documents = join(await addStopped(home, 0), 'data', 'documents')
    writeRandom(documents, size)
    await measure('save', 'save', 'bench')
    rmSync(documents, { recursive: true })
    await measure('verification', 'backups', 'verify', 'bench')
    for (const open of [openSsh, openSwift]) {
      store = await open()
      configure(home, store.settings)
      const { target } = store
      await measure(`export to ${target}`, 'backups', 'export', 'bench', '--to', target)
      await measure(`verification at ${target}`, 'backups', 'verify', 'bench', '--at', target)
      rmSync(onlyBackup(home).folder, { recursive: true })
      await measure(`fetch from ${target}`, 'backups', 'fetch', 'bench', '--from', target)
      await store.close()
    }
  } finally {
    await home.close()
    await store?.close()
  }
  return figures
}

/** Runs a command to its end. @returns the most memory that its process had, without that of programs which it starts. */
async function peakMiB({ folder }: BenchHome, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [managerProgram, '--home', folder, '--quiet', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let kib = 0
  const timer = setInterval(() => {
    try {
      kib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? kib)
    } catch {
      // It ended.
    }
  }, 20)
  const [code] = (await once(child, 'exit')) as [number]
  clearInterval(timer)
  if (code !== 0) throw new Error(`manager ${args.join(' ')} ended with ${code}.`)
  return kib / 1024
}

function writeRandom(folder: string, megabytes: number): void {
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < megabytes; number++) {
    // Files of 100 MB.
    const file = openSync(join(folder, `${Math.floor(number / 100)}.bin`), 'a')
    writeSync(file, randomBytes(1e6))
    closeSync(file)
  }
}
