import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../../../../../../tests/servers/index.js'
import { postgresqlUnderTest } from '../../../../test/postgresql-under-test.js'
import { createDatabaseServer } from '../../create-database-server.js'
import type { DatabaseAccount, Launch } from '../../server/database-server.js'

const isRoot = process.getuid?.() === 0

needs('postgresql', (url) => {
  const { hostname: host, port, username: user } = new URL(url)
  const make = () => createDatabaseServer({ type: 'postgresql', host, port: Number(port), user, password: 'x' })
  const { account, connect } = postgresqlUnderTest(() => Number(port), make)
  const folder = mkdtempSync(join(tmpdir(), 'steward-hostile-dump-'))
  const planted = join(folder, 'planted')
  let given: DatabaseAccount
  let dump: string
  const restoring = (content: string) => make().restore(given, Readable.from([Buffer.from(content)]))
  const noted: string[] = []
  const note: Launch = (program) => {
    noted.push(program.split('/').at(-1) as string)
    return { command: '/usr/bin/env', args: ['NOTED=1', program] }
  }

  beforeAll(async () => {
    given = account('hostile')
    await make().create(given)
    const { content } = await make().dump(given)
    dump = await text(content)
  })
  afterAll(async () => {
    await make().drop(given)
    rmSync(folder, { recursive: true })
  })

  describe('a dump', () => {
    it.each([
      ['before its first line', () => `\\! id > ${planted}\n${dump}`, 1],
      [
        'in a statement',
        () => dump.replace('SET lock_timeout', `select 1 \\g |id > ${planted}\nSET lock_timeout`),
        undefined,
      ],
      [
        'after its rows',
        () => `create table t (a text);\ncopy t from stdin;\n\\! x\n\\.\n\\o |id > ${planted}\n${dump}`,
        5,
      ],
      ['that lifts restrictions', () => `\\unrestrict x\n\\copy (select 1) to ${planted}\n${dump}`, 2],
    ])('with a command of psql %s is refused, and nothing is done', async (_where, hostile, line) => {
      await expect(restoring(hostile())).rejects.toMatchObject({
        code: 'ERR_DUMP',
        message: expect.stringContaining(
          line === undefined ? 'a command of psql in line' : `a command of psql in line ${line}:`,
        ),
      })
      expect(existsSync(planted)).toBe(false)
      expect(await make().isEmpty(given)).toBe(true)
    })

    it('with a command that reads as a text is refused by psql itself', async ({ skip }) => {
      const version = execFileSync('psql', ['--version'], { encoding: 'utf8' })
      const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
      if (Number(major) < 15 || (Number(major) === 15 && Number(minor) < 14)) skip(`${version} knows no \\restrict`)
      const hidden = `set standard_conforming_strings = off;\nselect '\\' || ' \\! id > ${planted}\n';\n${dump}`
      await expect(restoring(hidden)).rejects.toMatchObject({
        code: 'ERR_DUMP',
        output: expect.stringContaining('restricted'),
      })
      expect(existsSync(planted)).toBe(false)
      expect(await make().isEmpty(given)).toBe(true)
    })

    it.each([
      `copy t from program 'id > ${planted}'`,
      `copy t from '/etc/passwd'`,
      `select pg_read_file('/etc/passwd')`,
    ])('may do no more than the user of the database: %s', async (statement) => {
      await expect(restoring(`create table t (a text);\n${statement};\n${dump}`)).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_(CREDENTIALS|FAILED)$/),
        output: expect.stringMatching(/permission denied|must be superuser/),
      })
      expect(existsSync(planted)).toBe(false)
    })

    it('of names and texts that look like commands comes back as it was', async () => {
      const [from, to] = [account('from'), account('to')]
      await make().create(from)
      // Names are cut after 63 bytes.
      const name = `a\n\\! id > planted\n\\.\n`
      const connection = await connect(from)
      await connection.query(`create table "${name}" ("${name}" text default '${name}')`)
      await connection.query(`comment on table "${name}" is '${name}'`)
      await connection.query(`create function f() returns text language sql as $f$ select '${name}' $f$`)
      await connection.query(`insert into "${name}" values (default), (E'\\\\.\\n\\\\! id')`)
      await connection.close()
      await make().create(to)
      await make().copy(from, to)
      expect(await make().statistics(to)).toMatchObject({ rows: { [name]: 2 } })
      expect(existsSync('planted')).toBe(false)
      for (const each of [from, to]) await make().drop(each)
    })
  })

  describe('programs', () => {
    it('are launched as the account says', async () => {
      const [from, to] = [account('from'), account('to')].map((each) => ({ ...each, launch: note })) as [
        DatabaseAccount,
        DatabaseAccount,
      ]
      for (const each of [from, to]) await make().create(each)
      await make().copy(from, to)
      await (await make().dumpDirectly?.(from))?.into(openSync('/dev/null', 'w'))
      expect(await make().client(from)).toMatchObject({
        command: '/usr/bin/env',
        args: ['NOTED=1', expect.stringMatching(/psql$/)],
      })
      // Each says its version first.
      expect(noted).toEqual(['pg_dump', 'pg_dump', 'psql', 'psql', 'pg_dump', 'setpriv', 'psql'])
      for (const each of [from, to]) await make().drop(each)
    })

    it.runIf(isRoot)('of another user dump and restore', async () => {
      const launch: Launch = (program) => ({
        command: 'setpriv',
        args: ['--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs', '--', program],
        environment: { HOME: '/' },
      })
      const [from, to] = [
        { ...account('from'), launch },
        { ...account('to'), launch },
      ]
      for (const each of [from, to]) await make().create(each)
      const connection = await connect(from)
      await connection.query('create table t as select 1 as a')
      await make().copy(from, to)
      expect(await make().statistics(to)).toMatchObject({ rows: { t: 1 } })
      const file = join(folder, 'direct.sql')
      await (await make().dumpDirectly?.(from))?.into(openSync(file, 'w'))
      expect(readFileSync(file, 'utf8')).toContain('dump complete')

      await connection.close()
      for (const each of [from, to]) await make().drop(each)
    })

    it('that are stopped are ended', async () => {
      const stopped: Launch = (program) => ({
        command: '/bin/sh',
        args: ['-c', 'case "$*" in *--version*) exec "$@"; esac; kill -STOP $$; exec "$@"', 'sh', program],
      })
      const slow = { ...given, launch: stopped }
      const silenceMs = 300
      const { content, done } = await make().dump(slow, { silenceMs })
      content.resume()
      const expected = {
        code: 'ERR_FAILED',
        message: expect.stringContaining('neither wrote nor read anything for 300 ms'),
      }
      await expect(done).rejects.toMatchObject(expected)
      await expect(make().restore(slow, Readable.from([Buffer.from(dump)]), { silenceMs })).rejects.toMatchObject(
        expected,
      )
      const made = await make().dumpDirectly?.(slow)
      await expect(made?.into(openSync('/dev/null', 'w'), { silenceMs })).rejects.toMatchObject(expected)
    })
  })
})
