import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { median, openHome, progress, time } from '../manager/commands.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { startPostgresql } from '../rest/test-servers.ts'
import { fillPostgresql } from './fill.ts'
import { configure, openSsh, openSwift, type Store } from './stores.ts'

/**
 * `manager save --to` of an instance on PostgreSQL, which reads back what it wrote here and there, against `pg_dump | zstd`
 * into the client of the store; that of Swift reads back, too, as a server of Swift computes no SHA-256.
 */
export async function benchUpload({ rounds, megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const postgresql = await startPostgresql()
  const stores: Store[] = []
  try {
    stores.push(await openSsh(), await openSwift())
    const { hostname, port, username } = new URL(postgresql.url)
    configure(home, {
      APPS_POSTGRESQL_HOST: hostname,
      APPS_POSTGRESQL_PORT: port,
      APPS_POSTGRESQL_ADMINUSER: username,
      ...stores[0]?.settings,
      ...stores[1]?.settings,
    })
    await home.manager('add', 'bench', '--database', 'postgresql')
    await home.manager('stop', 'bench')
    const database = await fillPostgresql(postgresql.url, megabytes)
    const figures: Figure[] = []
    for (const { target, write, read } of stores) {
      const [ours, peer]: [number[], number[]] = [[], []]
      const dump = 'pg_dump --format=plain --no-owner --no-privileges "$1" | zstd -3 -T0 --check -q'
      const check = target === 'swift' ? `&& ${read} | sha256sum` : ''
      const command = `set -o pipefail; ${dump} | ${write} ${check}`
      for (let round = 0; round < Math.min(rounds, 3); round++) {
        peer.push(megabytes / ((await time('bash', ['-c', command, '-', database])) / 1000))
        ours.push(megabytes / ((await home.manager('save', 'bench', '--to', target)) / 1000))
        rmSync(join(home.folder, 'save'), { recursive: true })
        progress(`upload ${target} ${round + 1}: ${ours.at(-1)?.toFixed(0)} MB/s, peer ${peer.at(-1)?.toFixed(0)} MB/s`)
      }
      const client = target === 'swift' ? 'rclone rcat, cat | sha256sum' : 'ssh cat'
      const title = `save --to ${target} of ${megabytes} MB in PostgreSQL (to: pg_dump | zstd | ${client})`
      figures.push({ title, ours: median(ours), peer: median(peer), unit: 'MB/s', atLeast: 0.85 })
    }
    return figures
  } finally {
    await home.close()
    for (const store of stores) await store.close()
    await postgresql.close()
  }
}
