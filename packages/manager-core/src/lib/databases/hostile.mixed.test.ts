/** @module-tag mixed */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { execute, needs } from '../../../../../tests/servers/index.js'
import { accountAt, asAccount, type SystemAccount } from '../accounts/account.js'
import type { DatabaseType } from '../domain/instance.js'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { forgeDump } from '../testing/forge-dump.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'

const isHere = canUseAccounts(import.meta.url)
const path = process.env['PATH'] as string

if (isHere)
  needs('postgresql', (postgresql) =>
    needs('mysql', (mysql) => {
      let test: TestManager
      beforeAll(async () => {
        test = await createTestManager({ config: [...databaseConfig(postgresql, mysql), 'export APPS_ISOLATION=yes'] })
        chmodSync(test.folder, 0o711)
      })
      afterAll(async () => {
        process.env['PATH'] = path
        await closeWithAccounts(test)
      })
      const own = (name: string) => join(test.folder, name)
      const accountOf = (name: string) => accountAt(test.path(name)) as SystemAccount
      const serverOf = (name: string) => test.context.databases.server(test.instance(name).database)
      const databaseOf = async (name: string) =>
        test.context.databases.account(test.path(name), await test.context.settings.instance(test.path(name)))
      const rowsOf = async (name: string) => (await serverOf(name).statistics(await databaseOf(name))).rows
      const write = async (name: string, sql: string) => execute(serverOf(name).url(await databaseOf(name)), sql)

      /** Puts a line before the dump of the newest backup. @returns id of the backup */
      const forge = async (name: string, line: string) =>
        forgeDump(await test.context.backups.find(name, 'latest'), (plain) =>
          Buffer.concat([Buffer.from(`${line}\n`), plain]),
        )

      const attacks: readonly (readonly [type: DatabaseType, line: (planted: string) => string, refusal: string])[] = [
        ['postgresql', (planted: string) => `\\! id > ${planted}`, 'a command of psql in line 1'],
        [
          'mysql',
          (_planted: string) => `load data local infile '/etc/shadow' into table note;`,
          'a statement that reads files in line 1',
        ],
      ]
      describe.each(attacks)('%s', (type, attack, refusal) => {
        const name = `of${type}`
        beforeAll(async () => {
          await test.perform('add', { name, database: type, 'no-start': true })
          await write(name, 'create table note (text varchar(300))')
          await write(name, `insert into note values ('mine')`)
        })

        it('a dump with commands for the client is refused, by a check and by a restore, and nothing is done', async () => {
          const planted = join('/tmp', `planted-${process.pid}`)
          await test.perform('save', { name })
          const backup = await forge(name, attack(planted))
          await write(name, `insert into note values ('later')`)
          const refused = { message: expect.stringContaining(refusal) }
          await expect(test.perform('backups verify', { name, backup, deep: true })).rejects.toMatchObject({
            code: 'ERR_BACKUP',
            ...refused,
          })
          await expect(test.perform('restore', { name, from: backup })).rejects.toMatchObject(refused)
          expect(existsSync(planted)).toBe(false)
          expect(await rowsOf(name)).toEqual({ note: 2 })
        })

        it('the clients run as the account of the instance', async () => {
          const programs = own(`programs-${type}`)
          const seen = own(`seen-${type}`)
          mkdirSync(programs)
          writeFileSync(seen, '')
          chmodSync(seen, 0o666)
          for (const program of ['psql', 'pg_dump', 'mariadb', 'mariadb-dump']) {
            const real = execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
            const script = `#!/bin/sh\necho "${program} $(id -u) $(grep CapEff /proc/$$/status) $(env | grep -c 'ADMIN')" >> ${seen}\nexec ${real} "$@"\n`
            writeFileSync(join(programs, program), script, { mode: 0o755 })
          }
          process.env['PATH'] = `${programs}:${path}`
          await test.perform('save', { name })
          await test.perform('restore', { name })
          const copy = `${name}copy`
          await test.perform('clone', { name, new: copy, 'no-start': true })
          process.env['PATH'] = path
          const lines = [...new Set(readFileSync(seen, 'utf8').trim().split('\n'))]
          const [first, second] = type === 'postgresql' ? ['pg_dump', 'psql'] : ['mariadb-dump', 'mariadb']
          const none = 'CapEff:\t0000000000000000 0'
          expect(lines.toSorted()).toEqual(
            [
              `${first} ${accountOf(name).uid} ${none}`,
              `${second} ${accountOf(name).uid} ${none}`,
              `${second} ${accountOf(copy).uid} ${none}`,
            ].toSorted(),
          )
          const { command, args, environment } = await serverOf(name).client(await databaseOf(name))
          expect([command, ...args]).toEqual(
            expect.arrayContaining([expect.stringMatching(/setpriv$/), `--reuid=${accountOf(name).uid}`]),
          )
          expect(environment).toMatchObject({ HOME: '/', PSQL_HISTORY: '/dev/null' })
        })
      })

      it('names that look like commands of the client come through a clone, a backup and a restore', async () => {
        const name = 'ofpostgresql'
        const table = 'a\n\\! id > planted\n\\.\n'
        await write(name, `create table "${table}" (a text default '\n\\! id\n')`)
        await write(name, `insert into "${table}" values (default)`)
        const rows = await rowsOf(name)
        expect(rows).toHaveProperty([table], 1)
        await test.perform('clone', { name, new: 'named', 'no-start': true })
        await test.perform('save', { name })
        await test.perform('restore', { name })
        expect([await rowsOf('named'), await rowsOf(name)]).toEqual([rows, rows])
        expect(existsSync('planted')).toBe(false)
      })

      describe('sqlite', () => {
        const file = () => test.path('embedded', 'data', 'database.db')
        beforeAll(async () => {
          for (const name of ['embedded', 'other']) await test.perform('add', { name })
        })

        it('a lock on its file blocks no report', async () => {
          const account = accountOf('embedded')
          const code = `const held = new (require('node:sqlite').DatabaseSync)(process.argv[1]); held.exec('pragma locking_mode = exclusive; begin exclusive; create table mine (a)'); console.log('held'); setInterval(() => held.isOpen, 1e6)`
          await test.perform('stop', { name: 'embedded' })
          const [command, before] = asAccount(account, process.execPath)
          const child = spawn(command, [...before, '--no-warnings', '-e', code, file()], {
            stdio: ['ignore', 'pipe', 'inherit'],
          })
          onTestFinished(() => void child.kill('SIGKILL'))
          await once(child.stdout, 'data')
          let turns = 0
          const timer = setInterval(() => turns++, 1)
          onTestFinished(() => clearInterval(timer))
          await expect(serverOf('embedded').isEmpty(await databaseOf('embedded'))).rejects.toMatchObject({
            code: 'ERR_DATABASE',
            message: expect.stringContaining('locked'),
          })
          // A driver in this process would not have let it do anything else.
          expect(turns).toBeGreaterThan(100)
        })

        it('a link to the file of another instance is not followed', { tags: 'core' }, async () => {
          const database = await databaseOf('embedded')
          for (const suffix of ['', '-wal', '-shm']) rmSync(file() + suffix, { force: true })
          symlinkSync(test.path('other', 'data', 'database.db'), file())
          for (const call of ['isEmpty', 'extent', 'statistics'] as const)
            await expect(serverOf('embedded')[call](database)).rejects.toMatchObject({ code: 'ERR_DATABASE' })
          rmSync(file())
        })
      })
    }),
  )
