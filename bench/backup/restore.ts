import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { managerProgram, median, openHome, progress } from '../manager/commands.ts'
import { addStopped } from '../manager/files.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { measure } from './measure.ts'
import { onlyBackup } from './only-backup.ts'

/** As carefully as by hand: hashed, listed, and unpacked from what was read again. */
const byHand = 'zstd -dc "$1" | sha256sum && zstd -dc "$1" | tar -tf - && zstd -dc "$1" | tar -xf - -C "$2"'

/** CPU time of `manager restore`, which verifies what it unpacks, against the same by hand. */
export async function benchRestore({ rounds, megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const [ours, peer]: [number[], number[]] = [[], []]
  try {
    await addStopped(home, megabytes)
    await home.manager('save', 'bench')
    const archive = join(onlyBackup(home).folder, 'files.tar.zst')
    const target = join(home.folder, 'peer')
    const restore = [process.execPath, managerProgram, '--home', home.folder, 'restore', 'bench', '--discard', '--yes']
    for (let round = 0; round < rounds; round++) {
      mkdirSync(target)
      peer.push(megabytes / (await measure(['bash', '-c', byHand, '-', archive, target])).cpu)
      rmSync(target, { recursive: true })
      ours.push(megabytes / (await measure(restore)).cpu)
      progress(`restore ${round + 1}: ${ours.at(-1)?.toFixed(0)} MB per CPU second, by hand ${peer.at(-1)?.toFixed(0)}`)
    }
  } finally {
    await home.close()
  }
  const title = `restore of ${megabytes} MB, per second of CPU time (to: sha256sum, tar -t, tar -x)`
  return [{ title, ours: median(ours), peer: median(peer), unit: 'MB/s', atLeast: 0.8 }]
}
