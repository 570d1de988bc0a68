import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { median, openHome, progress, time } from './commands.ts'
import { addStopped } from './files.ts'
import type { Figure, Size } from './figure.ts'

/** `manager clone` of a stopped instance against a copy of its folder, which has its SQLite database in it. */
export async function benchClone({ rounds, megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const ours: number[] = []
  const peer: number[] = []
  try {
    const folder = await addStopped(home, megabytes)
    const copy = join(home.folder, 'copy')
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      peer.push(await time('bash', ['-c', 'cp -r --reflink=auto "$1" "$2" && sync -f "$2"', '-', folder, copy]))
      rmSync(copy, { recursive: true })
      ours.push(await home.manager('clone', 'bench', `copy${round}`))
      await home.manager('delete', `copy${round}`, '--yes', '--purge')
      progress(`clone ${round + 1}: ${ours.at(-1)?.toFixed(0)} ms, cp ${peer.at(-1)?.toFixed(0)} ms`)
    }
  } finally {
    await home.close()
  }
  const title = `clone of ${megabytes} MB (to: cp --reflink=auto)`
  return [{ title, ours: median(ours), peer: median(peer), unit: 'ms', atMost: 1.2 }]
}
