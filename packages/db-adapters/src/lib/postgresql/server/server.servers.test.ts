import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsOwn, type TestServer } from '../../../../../../tests/servers/index.js'
import { describePostgresql, openPostgresqlTables } from '../../../../test/table-dump-postgresql.js'
import { postgresqlUnderTest } from '../../../../test/postgresql-under-test.js'
import { createTableDumpServer } from '../../../../test/table-dump-server.js'
import { testDatabaseServer } from '../../server/contract-suite.js'
import { createDatabaseServer } from '../../create-database-server.js'
import type { DatabaseAccount } from '../../server/database-server.js'
import { createTail } from '../../server/tail.js'

needsOwn('postgresql', (start) => {
  let server: TestServer
  const optionsOf = (options: { readonly path?: string; readonly mark?: string } = {}) =>
    ({
      type: 'postgresql',
      host: '127.0.0.1',
      port: server.port,
      user: 'steward',
      password: 'x',
      ...options,
    }) as const
  const make = (options?: Parameters<typeof optionsOf>[0]) => createDatabaseServer(optionsOf(options))
  const tableDumps = {
    open: openPostgresqlTables,
    describe: describePostgresql,
    refusals: ['28P01', '3D000'],
  }

  beforeAll(async () => {
    server = await start()
    // Users need their passwords.
    const file = join(server.dir, 'data', 'pg_hba.conf')
    writeFileSync(file, 'host all steward 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
    appendFileSync(join(server.dir, 'data', 'postgresql.conf'), `\nlog_statement = 'all'\n`)
    await server.restart()
  })
  afterAll(() => server.close())

  const subject = postgresqlUnderTest(() => server.port, make)
  const { account, connect } = subject

  testDatabaseServer(async () => subject)

  describe('with dumps of tables', () =>
    testDatabaseServer(async () => ({
      ...subject,
      make: (options) => createTableDumpServer(optionsOf(options), tableDumps),
      atomicRestore: false,
      needsTools: false,
    })))

  describe('rights', () => {
    it('drop() removes what a user made in databases that all can use, and nothing of others', async () => {
      const [given, other] = [account('spread'), account('shared')]
      for (const each of [given, other]) await make().create(each)
      for (const name of ['postgres', 'template1']) {
        const connection = await connect({ ...given, name })
        await connection.query('select lo_create(0)')
        await connection.close()
      }
      const owner = await connect(other)
      await owner.query(`create table lent (id integer); insert into lent values (7)`)
      await owner.query(`grant create on schema public to ${given.user}; grant select on lent to ${given.user}`)
      const admin = await connect({ ...other, user: 'steward' })
      await admin.query(`create table foreign_one (id integer); alter table foreign_one owner to ${given.user}`)
      await expect(make().drop(given)).rejects.toMatchObject({
        code: 'ERR_FAILED',
        message: expect.stringContaining(`in the database "${other.name}"`),
      })
      expect(await make().exists(given)).toBe('yes')
      await admin.query('drop table foreign_one')
      await admin.close()
      await make().drop(given)
      expect(await make().exists(given)).toBe('no')
      expect(await owner.query('select id from lent')).toEqual([{ id: 7 }])
      await owner.close()
      await make().drop(other)
    })

    it('functions that a user made where all may make them are not called with the rights of the manager', async () => {
      const given = account('planter')
      await make({ mark: 'Steward /home one' }).create(given)
      const admin = await connect({ ...given, name: 'postgres', user: 'steward' })
      // As in PostgreSQL 14, and after an upgrade from there.
      await admin.query('grant create on schema public to public')
      const connection = await connect({ ...given, name: 'postgres' })
      const body = `begin execute 'alter role ${given.user} superuser'; return null; end`
      const planted = [
        'shobj_description(oid, text) returns text',
        'has_database_privilege(text, name, text) returns boolean',
      ]
      for (const what of planted)
        await connection.query(`create function public.${what} language plpgsql as $$${body}$$`)
      await connection.close()
      const server = make({ mark: 'Steward /home one' })
      expect(await server.exists(given)).toBe('yes')
      expect(await server.marks(given)).toEqual(['Steward /home one'])
      await server.mark(given)
      expect(await admin.query(`select rolsuper from pg_catalog.pg_roles where rolname = '${given.user}'`)).toEqual([
        { rolsuper: false },
      ])
      await server.drop(given)
      await admin.query('revoke create on schema public from public')
      await admin.close()
    })

    it('a user can use its database and nothing else', async () => {
      const [mine, other] = [account('mine'), account('other')]
      await make().create(mine)
      await make().create(other)
      const connection = await connect(mine)
      for (const sql of [
        'create database more',
        'create role more',
        `alter role ${mine.user} superuser`,
        `copy (select 1) to program 'true'`,
      ])
        await expect(connection.query(sql)).rejects.toMatchObject({ code: '42501' })
      await connection.close()
      await expect(connect({ ...mine, name: other.name })).rejects.toMatchObject({ code: '42501' })
      await make().drop(mine)
      await make().drop(other)
    })

    it('what a user writes on its own database changes nothing: the mark of the user counts', async () => {
      const [ours, others] = ['Steward /srv/ours 1a2b', 'Steward /srv/others 3c4d']
      const given = account('forged')
      const marked = make({ mark: ours })
      await marked.create(given)
      const connection = await connect(given)
      await expect(connection.query(`comment on role ${given.user} is '${others}'`)).rejects.toMatchObject({
        code: '42501',
      })
      await connection.query(`comment on database ${given.name} is '${others}'`)
      await connection.close()
      await expect(make({ mark: others }).drop(given)).rejects.toMatchObject({ code: 'ERR_MARK' })
      await marked.drop(given)
      expect(await marked.exists(given)).toBe('no')
    })

    it('an administrator who is not a superuser is enough', async () => {
      const root = await connect({ name: 'postgres', user: 'steward', password: '' })
      await root.query(`create role maker login createdb createrole password 'maker'`)
      const limited = createDatabaseServer({
        type: 'postgresql',
        host: '127.0.0.1',
        port: server.port,
        user: 'maker',
        password: 'maker',
        mark: 'Steward /srv/limited 1a2b',
      })
      await limited.probe()
      const given = account('limited')
      await limited.create(given)
      await limited.create(given)
      expect(await limited.exists(given)).toBe('yes')
      expect(await limited.marks(given)).toEqual(['Steward /srv/limited 1a2b'])
      await limited.drop(given)
      expect(await limited.exists(given)).toBe('no')
      await root.query('alter role maker nocreatedb')
      await expect(limited.probe()).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
      await root.close()
    })

    it('half-made ones are found and removed', async () => {
      const root = await connect({ name: 'postgres', user: 'steward', password: '' })
      for (const sql of ['create role', 'create database']) {
        const given = account('half')
        await root.query(`${sql} ${given.name}`)
        expect(await make().exists(given)).toBe('partial')
        await make().drop(given)
        expect(await make().exists(given)).toBe('no')
        await root.query(`${sql} ${given.name}`)
        await make().create(given)
        expect(await make().exists(given)).toBe('yes')
        await make().drop(given)
      }
      await root.close()
    })

    it('passwords are not in the log of the server', () => {
      const log = readFileSync(join(server.dir, 'server.log'), 'utf8')
      // Written by the tests before.
      expect(log).toContain('create role test_from_')
      expect(log).not.toContain('secret-')
    })
  })

  describe('faults', () => {
    it('a wrong password, and a table that the user may not read, are ERR_CREDENTIALS', async () => {
      const given = account('wrong')
      await make().create(given)
      const wrong = { ...given, password: 'wrong' }
      await expect(make().statistics(wrong)).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
      await expect(wholeDump(wrong)).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
      const root = await connect({ ...given, user: 'steward', password: '' })
      await root.query('create table hidden (n integer)')
      await root.close()
      await expect(wholeDump(given)).rejects.toMatchObject({ code: 'ERR_CREDENTIALS', output: /hidden/ })
      await make().drop(given)
    })

    it('a direct dump is of the moment when it has started, and whole', async () => {
      const given = account('direct')
      await make().create(given)
      const connection = await connect(given)
      await connection.query(`create table t as select 'before' as text`)
      const dump = await make().dumpDirectly?.(given)
      const file = join(server.dir, 'direct.sql')
      let writing: Promise<unknown> | undefined
      await dump?.into(openSync(file, 'w'), {
        onBegun: () => void (writing = connection.query(`insert into t values ('after')`)),
      })
      await writing
      const text = readFileSync(file)
      expect(text.includes('\nbefore\n')).toBe(true)
      expect(text.includes('after')).toBe(false)
      const tail = createTail(dump?.trailer as string)
      tail.add(text)
      expect(tail.isComplete()).toBe(true)
      tail.add(Buffer.alloc(512))
      expect(tail.isComplete()).toBe(false)
      await connection.close()
      await make().drop(given)
    })

    it('a direct dump fails when it is ended, when its program fails, and when it is no longer read', async () => {
      const given = account('direct')
      await make().create(given)
      const into = async (output: 'ignore' | Writable = 'ignore', signal?: AbortSignal) => {
        const dump = await make().dumpDirectly?.(given)
        await dump?.into(output === 'ignore' ? openSync('/dev/null', 'w') : output, { signal })
      }
      await expect(into('ignore', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
      const closed = spawn('sh', ['-c', 'exec 0<&-; echo; exec sleep 60'], { stdio: ['pipe', 'pipe', 'ignore'] })
      await once(closed.stdout, 'data')
      await expect(into(closed.stdin)).rejects.toMatchObject({ code: 'ERR_FAILED', message: /SIGPIPE|Broken pipe/ })
      closed.kill('SIGKILL')
      await expect(make().dumpDirectly?.({ ...given, password: 'wrong' })).rejects.toMatchObject({
        code: 'ERR_CREDENTIALS',
      })
      const root = await connect(given)
      await root.query('create table locked (id integer)')
      await root.query('begin')
      await root.query('lock table locked in access exclusive mode')
      const abort = new AbortController()
      const waiting = into('ignore', abort.signal)
      setTimeout(() => abort.abort(), 200)
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
      await root.close()
      await make().drop(given)
    })

    it('a server that stops in the middle of a dump fails it, and calls are ERR_UNREACHABLE until it is back', async () => {
      const given = account('down')
      await make().create(given)
      const connection = await connect(given)
      await connection.query('create table bulk (t text)')
      await connection.query(`insert into bulk select repeat(n::text, 1000) from generate_series(1, 5000) n`)
      await connection.close()
      const { content, done } = await make().dump(given)
      await new Promise((resolve) => content.once('readable', resolve))
      await server.stop()
      content.resume()
      await expect(done).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      for (const attempt of ['exists', 'create', 'drop', 'statistics'] as const)
        await expect(make()[attempt](given)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      await expect(make().probe()).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      await expect(wholeDump(given)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      await server.start()
      await make().drop(given)
    })
  })

  async function wholeDump(given: DatabaseAccount): Promise<void> {
    const { content, done } = await make().dump(given)
    content.resume()
    await done
  }
})
