import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { managerProgram, median, openHome, progress, type BenchHome } from '../manager/commands.ts'
import { writeDocuments } from '../manager/files.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { startMariadb, startPostgresql } from '../rest/test-servers.ts'
import { fillMysql, fillPostgresql, fillSqlite } from './fill.ts'
import { measure, type Sample } from './measure.ts'
import { configure } from './stores.ts'

/** `manager save` and `manager restore` by Node alone, against the same by tar, zstd and age, in turns. */
export async function benchPackers({ rounds, megabytes }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const postgresql = await startPostgresql()
  const mysql = await startMariadb()
  try {
    const withoutPackers = join(home.folder, 'bench-bin')
    mkdirSync(withoutPackers)
    for (const name of readdirSync('/usr/bin'))
      if (!['tar', 'zstd', 'age'].includes(name)) symlinkSync(join('/usr/bin', name), join(withoutPackers, name))
    configure(home, { ...serverSettings('POSTGRESQL', postgresql.url), ...serverSettings('MYSQL', mysql.url) })
    for (const [name, database] of [
      ['files', 'sqlite'],
      ['sqlite', 'sqlite'],
      ['postgresql', 'postgresql'],
      ['mysql', 'mysql'],
    ] as const) {
      await home.manager('add', name, '--database', database)
      await home.manager('stop', name)
    }
    const data = (name: string) => {
      const { id } = home.json('get', name).item as { id: string }
      return join(home.folder, 'instances', id, 'data')
    }
    writeDocuments(join(data('files'), 'documents'), megabytes)
    fillSqlite(join(data('sqlite'), 'database.db'), megabytes)
    await fillPostgresql(postgresql.url, megabytes)
    await fillMysql(mysql.url, megabytes)
    const key = join(home.folder, 'bench-key')
    execFileSync('age-keygen', ['-o', key], { stdio: 'ignore' })
    writeFileSync(`${key}.pub`, execFileSync('age-keygen', ['-y', key]))
    const figures: Figure[] = []
    for (const encryption of ['', ', encrypted']) {
      if (encryption !== '') configure(home, { APPS_BACKUP_RECIPIENTS: `${key}.pub`, APPS_BACKUP_IDENTITY: key })
      for (const name of ['files', 'sqlite', 'postgresql', 'mysql'])
        figures.push(...(await compare(home, name, { rounds, megabytes, encryption, withoutPackers })))
    }
    return figures
  } finally {
    await home.close()
    await postgresql.close()
    await mysql.close()
  }
}

async function compare(
  home: BenchHome,
  name: string,
  {
    rounds,
    megabytes,
    encryption,
    withoutPackers,
  }: { rounds: number; megabytes: number; encryption: string; withoutPackers: string },
): Promise<readonly Figure[]> {
  const paths = { node: withoutPackers, programs: '/usr/bin:/bin' }
  const kinds = ['node', 'programs'] as const
  const samples = { save: { node: [], programs: [] }, restore: { node: [], programs: [] } } as Record<
    'save' | 'restore',
    Record<'node' | 'programs', Sample[]>
  >
  for (let round = 0; round < rounds; round++)
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      samples.save[kind].push(await measure(managerCommand(home, ['save', name]), paths[kind]))
      samples.restore[kind].push(
        await measure(managerCommand(home, ['restore', name, '--discard', '--yes']), paths[kind]),
      )
      rmSync(join(home.folder, 'save'), { recursive: true })
    }
  return (['save', 'restore'] as const).map((command) => {
    const { node, programs } = samples[command]
    const shown = (of: readonly Sample[]) =>
      `${spread(of.map(({ wall }) => wall))} s, CPU ${spread(of.map(({ cpu }) => cpu))} s`
    progress(`${command} ${name}${encryption}: Node ${shown(node)}; programs ${shown(programs)}`)
    const rate = (of: readonly Sample[]) => megabytes / median(of.map(({ wall }) => wall))
    const title = `${command} of ${name}, ${megabytes} MB${encryption}, by Node (to: by tar, zstd, age)`
    return { title, ours: rate(node), peer: rate(programs), unit: 'MB/s', atLeast: 0.9 }
  })
}

/** Median, and half the distance between the lowest and the highest. */
function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} ± ${((Math.max(...values) - Math.min(...values)) / 2).toFixed(2)}`
}

function managerCommand(home: BenchHome, args: readonly string[]): readonly string[] {
  return [process.execPath, managerProgram, '--home', home.folder, ...args]
}

function serverSettings(type: string, url: string): Record<string, string> {
  const { hostname, port, username, password } = new URL(url)
  return {
    [`APPS_${type}_HOST`]: hostname,
    [`APPS_${type}_PORT`]: port,
    [`APPS_${type}_ADMINUSER`]: username,
    ...(password !== '' && { [`APPS_${type}_ADMINPASSWORD`]: password }),
  }
}
