import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asUser, giveTo } from './as-user.js'
import { makeFolder } from './folders.js'
import { findMariadb, run, serverEnvironment } from './programs.js'
import { launch, type ServerOptions, type TestServer } from './server.js'
import { copyTemplate, makeTemplate } from './template.js'

const user = 'mysql'

/** Run by the server before it accepts clients; one statement per line. */
const initSql = `create database if not exists test character set utf8mb4;
create user if not exists steward@'%' identified by 'steward';
grant all on *.* to steward@'%' with grant option;
`

/** The kernel's queues for I/O are limited for the whole machine, where other servers may use them. */
const simpleIo = '--innodb-use-native-aio=0'

export const makeMariadbTemplate = () => makeTemplate('mariadb', user, makeData)

async function makeData(folder: string): Promise<void> {
  const program = findMariadb()?.['mariadb-install-db'] ?? 'mariadb-install-db'
  const flags = [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--tmpdir=${folder}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]
  await run(asUser(user, [program, ...flags, '--innodb-log-file-size=8M', simpleIo]))
}

/** Starts a private MariaDB. Its user `steward`, password `steward`, may do everything; durability is off. */
export async function startMariadb(options: ServerOptions = {}): Promise<TestServer> {
  const programs = findMariadb()
  if (!programs) throw new Error('MariaDB is not installed: mariadbd, mariadb-install-db and mariadb are needed.')
  const dir = options.dir ?? (await makeFolder('mariadb'))
  const data = join(dir, 'data')
  const initFile = join(dir, 'init.sql')
  if (!existsSync(join(data, 'mysql'))) {
    await mkdir(dir, { recursive: true })
    await writeFile(initFile, initSql)
    await giveTo(user, dir)
    await copyTemplate('mariadb', dir, makeData)
  }

  return launch({
    user,
    dir,
    removeDir: options.dir === undefined,
    port: options.port,
    stopSignal: 'SIGTERM',
    command: (port) => [
      programs.mariadbd,
      ...[
        '--no-defaults',
        `--datadir=${data}`,
        `--init-file=${initFile}`,
        `--socket=${join(dir, 'socket')}`,
        `--tmpdir=${dir}`,
      ],
      ...['--bind-address=127.0.0.1', `--port=${port}`, '--skip-name-resolve', '--skip-log-bin'],
      ...['--innodb-log-file-size=8M', '--innodb-flush-log-at-trx-commit=0', '--innodb-fast-shutdown=2', simpleIo],
    ],
    connect: (port) =>
      run(
        [
          programs.mariadb,
          ...['--no-defaults', '--protocol=tcp', '-h', '127.0.0.1', '-P', String(port), '-u', 'steward'],
          ...['--connect-timeout=2', '-e', 'select 1', 'test'],
        ],
        serverEnvironment({ MYSQL_PWD: 'steward' }),
      ),
    url: (port) => `mysql://steward:steward@127.0.0.1:${port}/test`,
  })
}
