import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { median, openHome, progress, time } from './commands.ts'
import { addStopped } from './files.ts'
import type { Figure, Size } from './figure.ts'

/** `manager save` of a stopped instance with documents, which reads back all it wrote, against `tar | zstd` of the same files. */
export async function benchSave({ rounds, megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const ours: number[] = []
  const peer: number[] = []
  try {
    const folder = await addStopped(home, megabytes)
    const archive = join(home.folder, 'peer.tar.zst')
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      const command = 'set -o pipefail; tar -cf - -C "$1" . | zstd -3 -T0 -q -o "$2" && sync "$2"'
      peer.push(megabytes / ((await time('bash', ['-c', command, '-', folder, archive])) / 1000))
      rmSync(archive)
      ours.push(megabytes / ((await home.manager('save', 'bench')) / 1000))
      rmSync(join(home.folder, 'save'), { recursive: true })
      progress(`save ${round + 1}: ${ours.at(-1)?.toFixed(0)} MB/s, tar | zstd ${peer.at(-1)?.toFixed(0)} MB/s`)
    }
  } finally {
    await home.close()
  }
  const title = `save of ${megabytes} MB (to: tar | zstd)`
  return [{ title, ours: median(ours), peer: median(peer), unit: 'MB/s', atLeast: 0.8 }]
}
