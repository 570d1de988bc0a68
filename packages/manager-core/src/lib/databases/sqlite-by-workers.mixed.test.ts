/** @module-tag mixed */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createDatabaseServer } from '@steward/db-adapters/server'
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { findAccount } from '../accounts/find-account.js'
import { listPids, statOf, uidOf } from '../system/process-table.js'
import { sqliteByWorkers } from './sqlite-by-workers.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-sqlite-workers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const server = sqliteByWorkers(createDatabaseServer({ type: 'sqlite' }))
let name: string
let earlier: readonly number[]
beforeEach(() => {
  earlier = allWorkers()
  name = join(mkdtempSync(join(folder, 'data-')), 'database.db')
})
const database = (file = name) => ({ name: file, user: '', password: '' })

/** A database with a row, in WAL mode. */
async function makeDatabase(file = name): Promise<void> {
  await server.create(database(file))
  const made = new DatabaseSync(file)
  made.exec("create table note (text text); insert into note values ('mine')")
  made.close()
}

/** Another process that does something with the file until the test ends. */
async function startHostile(script: string): Promise<void> {
  const code = `const { DatabaseSync } = require('node:sqlite'); const fs = require('node:fs'); const file = process.argv[1]; ${script}; console.log('ready')`
  const child = spawn(process.execPath, ['--no-warnings', '-e', code, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

async function dumpOf(file = name, limited = server): Promise<Buffer> {
  const { content, done } = await limited.dump(database(file))
  const [bytes] = await Promise.all([buffer(content), done])
  return bytes
}

it('every method does its work in another process', { tags: 'core' }, async () => {
  await makeDatabase()
  expect(await server.exists(database())).toBe('yes')
  expect(await server.isEmpty(database())).toBe(false)
  expect(await server.extent(database())).toMatchObject({ tables: ['note'] })
  expect(await server.statistics(database())).toMatchObject({ rows: { note: 1 } })
  expect(await server.changedSince(database(), { time: '', columns: { note: 'text', other: 'x' } })).toEqual({
    note: 1,
  })
  const copy = database(join(folder, 'copy.db'))
  await server.create(copy)
  expect(await server.isEmpty(copy)).toBe(true)
  await server.restore(copy, Readable.from([await dumpOf()]))
  expect(await server.statistics(copy)).toMatchObject({ rows: { note: 1 } })
  await server.drop(copy)
  await server.copy(database(), copy)
  expect(await server.isEmpty(copy)).toBe(false)
  const maps = readFileSync('/proc/self/maps', 'utf8')
  expect(maps).not.toContain('-shm')
})

it('a dump comes directly into a file, and reports when the database is held still', async () => {
  await makeDatabase()
  const direct = await server.dumpDirectly?.(database())
  if (!direct) throw new Error('setpriv is not there')
  const file = openSync(join(folder, 'direct'), 'w')
  onTestFinished(() => closeSync(file))
  let begun = 0
  await direct.into(file, { onBegun: () => begun++ })
  expect(begun).toBe(1)
  expect(readFileSync(join(folder, 'direct')).equals(await dumpOf())).toBe(true)
  const missing = await server.dumpDirectly?.(database(join(folder, 'missing.db')))
  await expect(missing?.into(file, { onBegun: () => begun++ })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  expect(begun).toBe(1)
})

it('a locked file whose holder keeps the outputs of workers open is an error in time, and this process is not blocked', async () => {
  await makeDatabase()
  await startHostile(
    `const held = new DatabaseSync(file); held.exec('pragma locking_mode = exclusive; begin exclusive; delete from note')
    const kept = new Set()
    const isOfParent = (pid) => Number(fs.readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ').at(-1).split(' ')[1]) === process.ppid
    setInterval(() => {
      for (const pid of fs.readdirSync('/proc').filter((each) => /^\\d+$/.test(each) && !kept.has(each)))
        try {
          const line = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8')
          if (held.isOpen && line.includes('sqlite.worker') && isOfParent(pid))
            for (const output of [1, 2]) kept.add(pid) && fs.openSync('/proc/' + pid + '/fd/' + output, 'w')
        } catch {}
    }, 10)`,
  )
  const impatient = sqliteByWorkers(createDatabaseServer({ type: 'sqlite' }), { limitMs: 1000 })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  onTestFinished(() => clearInterval(timer))
  const calls = [
    impatient.isEmpty(database()),
    impatient.extent(database()),
    impatient.statistics(database()),
    dumpOf(name, impatient),
  ].map((call) => call.catch((error: unknown) => error))
  for (const error of await Promise.all(calls))
    expect(error).toMatchObject({ code: 'ERR_FAILED', message: expect.stringMatching(/within 1 s|1000 ms|locked/) })
  // A driver in this process would not have let it do anything else.
  expect(turns).toBeGreaterThan(10)
})

it('a file that is cut while it is read ends no other process', { tags: 'core' }, async () => {
  await makeDatabase()
  await startHostile(`
    const held = new DatabaseSync(file); held.exec("insert into note values ('x')"); held.prepare('select * from note').all()
    const cut = () => { for (let n = 0; n < 1000; n++) { fs.truncateSync(file + '-shm', 0); fs.truncateSync(file + '-shm', 32768) } setImmediate(cut) }
    setImmediate(cut)`)
  for (let n = 0; n < 3; n++) {
    const outcome = await server.isEmpty(database()).catch((error: unknown) => error)
    if (typeof outcome !== 'boolean') expect(outcome).toMatchObject({ name: 'DatabaseServerError' })
  }
})

it.each<[string, () => void]>([
  ['a pipe', () => execFileSync('mkfifo', [name])],
  ['a folder', () => mkdirSync(name)],
  ['a link to a device', () => symlinkSync('/dev/zero', name)],
  ['a link to itself', () => symlinkSync(name, name)],
  ['another file', () => writeFileSync(name, 'no database\n'.repeat(1000))],
  [
    'a file of a terabyte',
    () => {
      writeFileSync(name, 'SQLite format 3\0')
      truncateSync(name, 2 ** 40)
    },
  ],
])('%s in place of the database is an error', async (_what, plant) => {
  plant()
  for (const call of [() => server.isEmpty(database()), () => dumpOf()])
    await expect(call()).rejects.toMatchObject({ name: 'DatabaseServerError', message: expect.stringContaining(name) })
})

it.each([
  [
    'a view that never ends',
    `create view endless as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n`,
  ],
  ['a trigger', `create trigger bad after insert on note begin delete from note; end`],
  ['names like statements', `create table "x"" union select 1; drop table note; --" (a); create table "a\n'b'" (a)`],
])('a schema with %s is counted', async (_what, sql) => {
  await makeDatabase()
  const made = new DatabaseSync(name)
  made.exec(sql)
  made.close()
  expect(await server.statistics(database())).toMatchObject({ rows: { note: 1 } })
  expect(await server.isEmpty(database())).toBe(false)
})

it('a malformed schema is an error', async () => {
  await makeDatabase()
  const made = new DatabaseSync(name, { defensive: false })
  made.exec('pragma writable_schema = on')
  made.exec(`update sqlite_schema set sql = 'create table note (', rootpage = 1e9`)
  made.close()
  await expect(server.statistics(database())).rejects.toMatchObject({
    code: 'ERR_FAILED',
    message: expect.stringContaining('malformed'),
  })
})

it.runIf(process.getuid?.() === 0)(
  'the file of a container that runs is used as its own, and no link in its place',
  async () => {
    await makeDatabase()
    const data = dirname(name)
    const user = 10_001
    chmodSync(dirname(data), 0o700)
    for (const path of [data, name]) chownSync(path, user, user)
    chmodSync(data, 0o700)
    const held = new DatabaseSync(name)
    held.prepare('select * from note').all()
    for (const path of [`${name}-wal`, `${name}-shm`]) chownSync(path, user, user)
    expect(await server.statistics(database())).toMatchObject({ rows: { note: 1 } })
    held.close()
    expect(await server.isEmpty(database())).toBe(false)
    renameSync(name, `${name}.real`)
    symlinkSync(`${name}.real`, name)
    await expect(server.isEmpty(database())).rejects.toMatchObject({ message: expect.stringContaining('is a link') })
  },
)

/** Processes of this one that answer calls, since the test started. */
const workers = () => allWorkers().filter((pid) => !earlier.includes(pid))

function allWorkers(): readonly number[] {
  return listPids().filter((pid) => {
    try {
      const isOwn = statOf(pid)?.parent === process.pid
      return isOwn && readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('sqlite.worker.ts\0')
    } catch {
      return false
    }
  })
}

it('calls for a file are answered by one process, which is replaced when it was killed or stopped', async () => {
  await makeDatabase()
  const [first, ...others] = workers()
  expect(others).toEqual([])
  expect(await server.isEmpty(database())).toBe(false)
  expect(await server.statistics(database())).toMatchObject({ rows: { note: 1 } })
  await expect(server.changedSince(database(), { time: '', columns: { note: 'text' } })).resolves.toEqual({ note: 1 })
  expect(workers()).toEqual([first])
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const [before] = workers()
    process.kill(before as number, signal)
    if (signal === 'SIGSTOP') await expect.poll(() => statOf(before as number)?.state).toBe('T')
    expect(await server.isEmpty(database())).toBe(false)
    await expect.poll(() => statOf(before as number)).toBeUndefined()
    expect(workers()).toHaveLength(1)
  }
})

it.runIf(process.getuid?.() === 0)('no process answers calls of another account', async () => {
  await makeDatabase()
  const [own] = workers()
  const foreign = server.isEmpty({ ...database(), user: 'nobody' })
  await expect(foreign).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
  const nobody = findAccount('nobody')?.uid
  expect(workers().map(uidOf).toSorted()).toEqual([0, nobody])
  expect(await server.isEmpty(database())).toBe(false)
  expect(workers().filter((pid) => uidOf(pid) === 0)).toEqual([own])
})

it('a process ends when its manager does, however that ends', async () => {
  await makeDatabase()
  const [own] = workers()
  const [command, ...args] = readFileSync(`/proc/${own}/cmdline`, 'utf8').split('\0').slice(0, -1)
  const child = spawn(command as string, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.write(`1 ${JSON.stringify([name, 'isEmpty'])}\n`)
  expect(String(await once(child.stdout, 'data'))).toBe('1 {"result":false}\n')
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('an account that is gone is an error', async () => {
  await expect(server.isEmpty({ name, user: 'steward-nobody-at-all', password: '' })).rejects.toMatchObject({
    code: 'ERR_CREDENTIALS',
  })
})
