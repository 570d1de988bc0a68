import { median, openHome, progress, time } from '../manager/commands.ts'
import { addStopped } from '../manager/files.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { onlyBackup } from './only-backup.ts'

/** `manager backups verify`, which compares every byte with the manifest, against `sha256sum` of the same files. */
export async function benchVerify({ rounds, megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const [ours, peer]: [number[], number[]] = [[], []]
  let stored = 0
  try {
    await addStopped(home, megabytes)
    await home.manager('save', 'bench')
    const { folder, bytes } = onlyBackup(home)
    stored = bytes / 1e6
    for (let round = 0; round < rounds; round++) {
      peer.push(stored / ((await time('bash', ['-c', 'sha256sum "$1"/*', '-', folder])) / 1000))
      ours.push(stored / ((await home.manager('backups', 'verify', 'bench')) / 1000))
      progress(`verify ${round + 1}: ${ours.at(-1)?.toFixed(0)} MB/s, sha256sum ${peer.at(-1)?.toFixed(0)} MB/s`)
    }
  } finally {
    await home.close()
  }
  const title = `verification of a backup of ${stored.toFixed(0)} MB (to: sha256sum)`
  return [{ title, ours: median(ours), peer: median(peer), unit: 'MB/s', atLeast: 0.9 }]
}
