import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asUser, giveTo } from './as-user.js'
import { makeFolder } from './folders.js'
import { findPostgresql, run, serverEnvironment } from './programs.js'
import { launch, type ServerOptions, type TestServer } from './server.js'
import { copyTemplate, makeTemplate } from './template.js'

const user = 'postgres'

export const makePostgresqlTemplate = () => makeTemplate('postgresql', user, makeData)

async function makeData(folder: string): Promise<void> {
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8'
  const flags = ['-D', join(folder, 'data'), '-A', 'trust', '-U', 'steward', '-E', 'UTF8', `--locale=${locale}`]
  const program = findPostgresql()?.initdb ?? 'initdb'
  await run(asUser(user, [program, ...flags, '--no-sync', '--no-instructions']))
}

/** Starts a private PostgreSQL. Its user `steward` is a superuser without password; durability is off. */
export async function startPostgresql(options: ServerOptions = {}): Promise<TestServer> {
  const programs = findPostgresql()
  if (!programs) throw new Error('PostgreSQL is not installed: initdb, postgres and psql are needed.')
  const dir = options.dir ?? (await makeFolder('postgresql'))
  const data = join(dir, 'data')
  const isNew = !existsSync(join(data, 'PG_VERSION'))
  if (isNew) {
    await mkdir(dir, { recursive: true })
    await giveTo(user, dir)
    await copyTemplate('postgresql', dir, makeData)
  }

  const query = (port: number, database: string, sql: string) => {
    const target = ['-h', '127.0.0.1', '-p', String(port), '-U', 'steward', '-d', database]
    return run([programs.psql, '-X', '-q', ...target, '-c', sql], serverEnvironment({ PGCONNECT_TIMEOUT: '2' }))
  }
  const server = await launch({
    user,
    dir,
    removeDir: options.dir === undefined,
    port: options.port,
    stopSignal: 'SIGINT',
    command: (port) => [
      programs.postgres,
      ...['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', dir, '-F'],
      ...['-c', 'full_page_writes=off', '-c', 'synchronous_commit=off', '-c', 'deadlock_timeout=100ms'],
    ],
    connect: (port) => query(port, 'postgres', 'select 1'),
    url: (port) => `postgres://steward@127.0.0.1:${port}/test`,
  })
  if (isNew) await query(server.port, 'postgres', 'create database test')
  return server
}
