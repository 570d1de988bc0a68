import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createStore } from '../create-store.js'
import { DatabaseServerError } from './database-server.js'
import type { DatabaseAccount, DatabaseServer } from './database-server.js'

/** A connection as an application has it. */
export interface TestConnection {
  query(sql: string): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

/** A server that runs, and how tests look into it. */
export interface ServerUnderTest {
  /** `path`: where programs are looked for. */
  make(options?: { readonly path?: string; readonly mark?: string }): DatabaseServer
  /** A database that is not there yet. */
  account(label: string): DatabaseAccount
  connect(account: DatabaseAccount): Promise<TestConnection>
  /** Statements that make tables, rows and whatever else the database knows. */
  readonly content: readonly string[]
  /** Queries that show all of it, and that it continues as it should, e.g. with the next number. */
  readonly shown: readonly string[]
  /** Adds a row to `one` and a row to `two` in one transaction, over and over. */
  startWriter(account: DatabaseAccount): Promise<{ readonly written: () => Promise<number>; stop(): Promise<void> }>
  /** A restore is one transaction of the program. */
  readonly atomicRestore: boolean
  /** It lets everybody in who has the name of a user. */
  readonly trusts?: boolean
  /** Dump and restore need a program. */
  readonly needsTools: boolean
  close(): Promise<void>
}

const textTypes = { sqlite: 'text', postgresql: 'text', mysql: 'longtext', mssql: 'nvarchar(max)', oracle: 'clob' }
const timeTypes = {
  sqlite: 'text',
  postgresql: 'timestamp(0)',
  mysql: 'datetime',
  mssql: 'datetime2(0)',
  oracle: 'timestamp(0)',
}

/** A literal of Oracle has at most 4,000 bytes. */
const largeClob = Array.from({ length: 25 }, () => `to_clob(rpad('x', 4000, 'x'))`).join(' || ')

/** What every `DatabaseServer` must do. Reads capabilities, so that it asks for what is promised. */
export function testDatabaseServer(start: () => Promise<ServerUnderTest>): void {
  let subject: ServerUnderTest
  let server: DatabaseServer
  /** With the content; tests leave it as it is. */
  let from: DatabaseAccount
  /** With some megabytes, more than pipes hold; tests leave it as it is. */
  let large: DatabaseAccount
  /** Tests leave it so. */
  let empty: DatabaseAccount
  const made: DatabaseAccount[] = []

  beforeAll(async () => {
    subject = await start()
    server = subject.make()
    from = subject.account('from')
    await server.create(from)
    await run(from, subject.content)
    large = subject.account('large')
    await server.create(large)
    const row = `insert into large_rows values (${server.type === 'oracle' ? largeClob : `'${'x'.repeat(100_000)}'`})`
    const table = `create table large_rows (t ${textTypes[server.type]})`
    await run(large, [table, ...Array.from({ length: 40 }, () => row)])
    empty = subject.account('empty')
    await server.create(empty)
  }, 60_000)
  afterEach(async () => {
    for (const account of made.splice(0)) await server.drop(account)
  })
  afterAll(async () => {
    for (const account of [from, large, empty]) await server.drop(account)
    await subject.close()
  })

  /** Made here, removed after the test. */
  async function account(label: string, statements: readonly string[] = []): Promise<DatabaseAccount> {
    const given = subject.account(label)
    made.push(given)
    await server.create(given)
    await run(given, statements)
    return given
  }

  async function run(given: DatabaseAccount, statements: readonly string[]): Promise<unknown[]> {
    const connection = await subject.connect(given)
    const answers: unknown[] = []
    try {
      for (const sql of statements) answers.push(await connection.query(sql))
    } finally {
      await connection.close()
    }
    return answers
  }

  const dumped = async (given: DatabaseAccount): Promise<Buffer> => {
    const { content, done } = await server.dump(given)
    const bytes = await buffer(content)
    await done
    return bytes
  }

  const code = (wanted: string) => expect.objectContaining({ name: 'DatabaseServerError', code: wanted })

  describe('accounts', () => {
    it('probe() returns what the server is', async () => {
      expect((await server.probe()).server).toMatch(/^[A-Za-z]+( [A-Za-z]+)* \d+\.\d+/)
    })

    it('create() makes a database, and again changes nothing that is in it', async () => {
      const given = subject.account('twice')
      made.push(given)
      expect(await server.exists(given)).toBe('no')
      await server.create(given)
      expect(await server.exists(given)).toBe('yes')
      await run(given, ['create table kept (n integer)', 'insert into kept values (7)'])
      await server.create(given)
      expect(await run(given, ['select n from kept'])).toEqual([[{ n: 7 }]])
    })

    it('isEmpty() returns whether there are tables, and rejects when there is no database', async () => {
      const given = subject.account('empty')
      await expect(server.isEmpty(given)).rejects.toMatchObject({ name: 'DatabaseServerError' })
      made.push(given)
      await server.create(given)
      expect(await server.isEmpty(given)).toBe(true)
      await run(given, ['create table kept (n integer)'])
      expect(await server.isEmpty(given)).toBe(false)
    })

    it('create() makes several at once', async () => {
      const given = Array.from({ length: 4 }, () => subject.account('several'))
      made.push(...given)
      await Promise.all(given.map((each) => server.create(each)))
      for (const each of given) expect(await server.exists(each)).toBe('yes')
    })

    it('create() sets the password again', async (context) => {
      if (!server.capabilities.users) return context.skip('no users')
      if (subject.trusts) return context.skip('the server asks nobody for a password')
      const given = await account('password')
      const changed = { ...given, password: 'another-1' }
      await server.create(changed)
      await run(changed, ['create table kept (n integer)', 'select n from kept'])
      await expect(server.statistics(given)).rejects.toEqual(code('ERR_CREDENTIALS'))
    })

    it('changedSince() counts the rows of known columns that were changed at a time or later', async () => {
      const type = timeTypes[server.type]
      const given = await account('changed', [
        `create table one (n integer, updated_dt ${type})`,
        `insert into one values (1, '2026-11-21 02:59:59')`,
        `insert into one values (2, '2026-11-21 03:00:00')`,
        `insert into one values (3, '2026-11-22 00:00:00')`,
        'insert into one values (4, null)',
        'create table two (n integer)',
      ])
      const columns = { one: 'updated_dt', two: 'updated_dt', three: 'updated_dt' }
      expect(await server.changedSince(given, { time: '2026-11-21 03:00:00', columns })).toEqual({ one: 2 })
    })

    it('drop() removes all, though a user is connected, and does nothing the second time', async () => {
      const given = await account('drop', subject.content)
      const connection = await subject.connect(given)
      try {
        await server.drop(given)
        expect(await server.exists(given)).toBe('no')
        await server.drop(given)
      } finally {
        await connection.close().catch(() => {})
      }
    })

    it.each(['../up', 'a b', "a'b", 'a"; drop table x', 'Ä', 'a'.repeat(300), ''])(
      'refuses the name %j',
      async (name) => {
        const wrong = { ...subject.account('x'), name }
        for (const attempt of [server.create(wrong), server.drop(wrong), server.exists(wrong), server.dump(wrong)])
          await expect(attempt).rejects.toBeInstanceOf(DatabaseServerError)
      },
    )
  })

  describe('marks', () => {
    const ours = 'Steward /srv/ours 1a2b'
    const others = 'Steward /srv/others 3c4d'

    it('what carries the mark of another one is neither changed nor removed, until it is given this one', async (context) => {
      const [one, other] = [subject.make({ mark: ours }), subject.make({ mark: others })]
      const given = subject.account('marked')
      made.push(given)
      await one.create(given)
      if ((await one.marks(given)) === undefined) return context.skip('it holds no marks')
      expect(await one.marks(given)).toEqual([ours])
      await run(given, ['create table kept (n integer)', 'insert into kept values (7)'])
      const refused = { code: 'ERR_MARK', message: expect.stringContaining(`is marked "${ours}"`) as string }
      await expect(other.drop(given)).rejects.toMatchObject(refused)
      await expect(other.create({ ...given, password: 'another-1' })).rejects.toMatchObject(refused)
      await expect(other.restore(given, Readable.from([]))).rejects.toMatchObject(refused)
      expect(await run(given, ['select n from kept'])).toEqual([[{ n: 7 }]])
      await other.mark(given)
      expect(await other.marks(given)).toEqual([others])
      await expect(one.drop(given)).rejects.toMatchObject({ code: 'ERR_MARK' })
      await other.drop(given)
      expect(await other.exists(given)).toBe('no')
      expect(await other.marks(given)).toEqual([])
      await one.drop(given)
    })

    it('what carries none is taken, and create() and restore() leave the mark on it', async (context) => {
      const one = subject.make({ mark: ours })
      const given = await account('unmarked')
      if ((await one.marks(given)) === undefined) return context.skip('it holds no marks')
      expect(await one.marks(given)).toEqual([])
      await expect(one.restore(given, Readable.from([]))).rejects.toBeInstanceOf(DatabaseServerError)
      await one.create(given)
      expect(await one.marks(given)).toEqual([ours])
      await expect(one.restore(given, Readable.from(['this is no dump']))).rejects.toBeInstanceOf(DatabaseServerError)
      expect(await one.marks(given)).toEqual([ours])
      const older = await account('older')
      await one.drop(older)
      expect(await one.exists(older)).toBe('no')
    })
  })

  describe('dump, restore and copy', () => {
    it('restore() gives what dump() saw', async () => {
      const to = await account('to')
      const before = await run(from, subject.shown)
      const told: number[] = []
      const { content, done, tools } = await server.dump(from, { onProgress: (bytes) => told.push(bytes) })
      await server.restore(to, content)
      await done
      expect(Object.values(tools).join()).toMatch(/\d+\.\d+/)
      expect(told.at(-1)).toBeGreaterThan(100)
      expect(await run(to, subject.shown)).toEqual(before)
    })

    it('copy() gives what the other has, and it belongs to its own user', async () => {
      const other = await account('other', subject.content)
      const to = await account('to')
      const before = await run(other, subject.shown)
      const { rows, bytes } = await server.statistics(other)
      expect(await server.extent(other)).toEqual({ tables: Object.keys(rows), bytes })
      await server.copy(other, to)
      expect(await run(to, subject.shown)).toEqual(before)
      expect((await server.statistics(to)).rows).toEqual(rows)
      await server.drop(other)
      expect(await run(to, ['drop view big_rows', 'select count(*) as n from rows_of_all'])).toHaveLength(2)
    })

    it('a dump of an empty database can be restored', async () => {
      const to = await account('to')
      await server.restore(to, Readable.from([await dumped(empty)]))
      expect((await server.statistics(to)).rows).toEqual({})
    })

    it('dump() is consistent while others write', { timeout: 60_000 }, async () => {
      const from = await account('from', [
        `create table one (n integer, t ${textTypes[server.type]})`,
        `create table two (n integer, t ${textTypes[server.type]})`,
      ])
      const writer = await subject.startWriter(from)
      const dumps: { before: number; bytes: Buffer }[] = []
      try {
        for (let round = 0; round < 2; round++) {
          const before = await writer.written()
          while ((await writer.written()) < before + 50) await new Promise((resolve) => setTimeout(resolve, 5))
          dumps.push({ before, bytes: await dumped(from) })
        }
      } finally {
        await writer.stop()
      }
      for (const { before, bytes } of dumps) {
        const to = await account('to')
        await server.restore(to, Readable.from([bytes]))
        const { rows } = await server.statistics(to)
        expect(rows['one']).toBeGreaterThan(before)
        expect(rows['one']).toBe(rows['two'])
      }
    })

    it('restore() refuses a database that is not empty, and changes nothing in it', async () => {
      const before = await run(from, subject.shown.slice(0, 1))
      await expect(server.restore(from, Readable.from([await dumped(from)]))).rejects.toEqual(code('ERR_EXISTS'))
      expect(await run(from, subject.shown.slice(0, 1))).toEqual(before)
    })

    it('restore() refuses a dump that is not whole or not sound, and leaves an empty database', async () => {
      const to = await account('to')
      const sound = await dumped(from)
      for (const how of ['cut off', 'cut off early', 'damaged', 'empty', 'nonsense']) {
        const content = Readable.from(pieces(damage(sound, how)))
        await expect(server.restore(to, content), how).rejects.toEqual(code('ERR_FAILED'))
        expect((await server.statistics(to)).rows, how).toEqual({})
      }
      await server.restore(to, Readable.from([sound]))
    })

    it('restore() fails with the content, and leaves an empty database', async () => {
      const bytes = await dumped(from)
      const content = Readable.from(
        (function* () {
          yield bytes.subarray(0, bytes.length / 2)
          throw new Error('the disk is gone')
        })(),
      )
      await expect(server.restore(empty, content)).rejects.toThrow('the disk is gone')
      expect((await server.statistics(empty)).rows).toEqual({})
    })

    it('dump() and restore() end when they are aborted', async () => {
      const reason = new DOMException('not needed any more', 'AbortError')
      const dumping = new AbortController()
      const { content, done } = await server.dump(large, { signal: dumping.signal })
      dumping.abort(reason)
      await expect(done).rejects.toThrow('not needed any more')
      content.resume()

      const restoring = new AbortController()
      const endless = new PassThrough()
      endless.write((await dumped(from)).subarray(0, 1000))
      const restored = server.restore(empty, endless, { signal: restoring.signal })
      setTimeout(() => restoring.abort(reason), 50)
      await expect(restored).rejects.toThrow('not needed any more')
      expect((await server.statistics(empty)).rows).toEqual({})
    })

    it('nothing is left of a dump that was not read', async () => {
      const { content, done } = await server.dump(large)
      content.destroy()
      await expect(done).rejects.toThrow()
      expect(childPrograms()).toEqual([])
    })

    it('says that there is no such database', async () => {
      const missing = subject.account('missing')
      const wanted = server.capabilities.users ? /ERR_CREDENTIALS|ERR_NOT_FOUND/ : /ERR_NOT_FOUND/
      await expect(buffer((await dumpOf(missing)).content)).rejects.toMatchObject({
        code: expect.stringMatching(wanted),
      })
      await expect(server.statistics(missing)).rejects.toMatchObject({ code: expect.stringMatching(wanted) })
      await expect(server.extent(missing)).rejects.toMatchObject({ code: expect.stringMatching(wanted) })
    })

    /** A dump that cannot be made fails at once or later. */
    async function dumpOf(given: DatabaseAccount) {
      try {
        return await server.dump(given)
      } catch (error) {
        return {
          content: new Readable({
            read() {
              this.destroy(error as Error)
            },
          }),
        }
      }
    }
  })

  describe('what others use', () => {
    it('a store opens the URL', async () => {
      const store = await createStore(server.url(empty))
      await store.ping()
      await store.close()
    })

    it('the client reaches the database, and restores a dump without this package', async (context) => {
      const to = await account('to')
      const { tools } = await server.probe()
      if (Object.values(tools).every((tool) => tool === undefined)) return context.skip('the client is not installed')
      const { command, args, environment } = await server.client(to)
      const started = (input: Buffer) => {
        const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe' })
        child.stdin.end(input)
        return Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')])
      }
      const [answer] = await started(Buffer.from('select 40 + 2;\n'))
      expect(answer.toString()).toContain('42')
      if (!subject.needsTools) return context.skip('the dump is the file')
      const before = await run(from, subject.shown)
      const [, errors] = await started(await dumped(from))
      expect(errors.toString()).toBe('')
      expect(await run(to, subject.shown)).toEqual(before)
    })

    it('nothing is kept of a restore whose process was killed', { timeout: 60_000 }, async (context) => {
      if (!subject.atomicRestore) return context.skip('it leaves what it has written')
      const { command, args, environment } = await server.client(empty)
      const bytes = await dumped(from)
      // What the restoring process was, seen by its program: input that ends in the middle.
      const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe' })
      child.stdin.end(Buffer.concat([Buffer.from('begin;\n'), bytes.subarray(0, bytes.length - 300)]))
      child.stdout.resume()
      child.stderr.resume()
      await once(child, 'close')
      expect((await server.statistics(empty)).rows).toEqual({})
    })
  })

  describe('programs', () => {
    it('without them says so', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'steward-no-tools-'))
      const bare = subject.make({ path: folder })
      try {
        const { tools } = await bare.probe()
        expect(Object.values(tools).filter((tool) => tool !== undefined)).toEqual([])
        await expect(bare.client(empty)).rejects.toEqual(code('ERR_NO_TOOL'))
        if (!subject.needsTools) return
        await expect(bare.dump(empty)).rejects.toEqual(code('ERR_NO_TOOL'))
        await expect(bare.restore(empty, Readable.from([]))).rejects.toEqual(code('ERR_NO_TOOL'))
        await expect(bare.copy(empty, empty)).rejects.toEqual(code('ERR_NO_TOOL'))
      } finally {
        rmSync(folder, { recursive: true })
      }
    })

    it('never get the password as an argument', async (context) => {
      if (!server.capabilities.users) return context.skip('no passwords')
      if (!subject.needsTools) return context.skip('no program')
      const { command, args } = await server.client(large)
      expect([command, ...args].join(' ')).not.toContain(large.password)
      const { content, done } = await server.dump(large)
      const endless = new PassThrough()
      const abort = new AbortController()
      const restoring = server.restore(empty, endless, { signal: abort.signal }).catch(() => {})
      await expect.poll(() => childPrograms().length, { timeout: 10_000 }).toBeGreaterThan(0)
      for (const line of childPrograms()) {
        expect(line).not.toContain(large.password)
        expect(line).not.toContain(empty.password)
      }
      abort.abort()
      await restoring
      content.resume()
      await done
    })

    it('a dump whose program is killed fails', async (context) => {
      if (!subject.needsTools) return context.skip('no program')
      const { content, done } = await server.dump(large)
      await new Promise((resolve) => content.once('readable', resolve))
      for (const pid of children()) process.kill(pid, 'SIGKILL')
      await expect(buffer(content)).rejects.toMatchObject({ code: 'ERR_FAILED', message: /SIGKILL/ })
      await expect(done).rejects.toMatchObject({ code: 'ERR_FAILED' })
    })
  })
}

const programs = /^(pg_dump|psql|mysqldump|mariadb-dump|mysql|mariadb)$/

/** Programs of a vendor that this process runs. */
function children(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, parent] = /\) [A-Z] (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
        return Number(parent) === process.pid && programs.test(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
      } catch {
        return false
      }
    })
}

function childPrograms(): string[] {
  return children().map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))
}

function damage(dump: Buffer, how: string): Buffer {
  switch (how) {
    case 'cut off':
      return dump.subarray(0, dump.length - 600)
    case 'cut off early':
      return dump.subarray(0, Math.floor(dump.length / 2))
    case 'damaged': {
      const copy = Buffer.from(dump)
      const middle = Math.floor(copy.length / 2)
      copy.fill(0x27, middle - 1500, middle + 1500)
      return copy
    }
    case 'nonsense':
      return Buffer.concat([Buffer.from('this is no dump\n'), dump])
    default:
      return Buffer.alloc(0)
  }
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096)
}
