import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import type { DatabaseAccount } from '../../server/database-server.js'
import { createSqliteServer } from './server.js'

const execute = promisify(execFile)
const server = createSqliteServer()
const isRoot = process.getuid?.() === 0
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'steward-sqlite-faults-'))
  cleanUps.push(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function database(name: string, rows = 0): Promise<DatabaseAccount> {
  const account = { name, user: '', password: '' }
  await server.create(account)
  if (rows > 0) {
    const opened = new DatabaseSync(name)
    opened.exec('create table t (n integer, t text)')
    opened.exec(
      `insert into t with recursive c(n) as (select 1 union all select n + 1 from c where n < ${rows}) select n, hex(randomblob(500)) from c`,
    )
    opened.close()
  }
  return account
}

/** Runs statements on the database in a process of its own, which then waits. */
async function holder(name: string, sql: string) {
  const script = `
    const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync(process.argv[1])
    ${sql}
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--no-warnings', '-e', script, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanUps.push(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  await once(child.stdout, 'data')
  return child
}

test('a process that is frozen in the middle of a write does not hold up a dump', async () => {
  const from = await database(join(folder(), 'a.db'), 1000)
  const child = await holder(from.name, `db.exec('begin immediate; insert into t values (-1, null)')`)
  child.kill('SIGSTOP')
  const { content, done } = await server.dump(from)
  const bytes = await buffer(content)
  await done
  const to = await database(join(folder(), 'b.db'))
  await server.restore(to, Readable.from([bytes]))
  expect((await server.statistics(to)).rows).toEqual({ t: 1000 })
  // A copy was made beside and is gone.
  expect(existsSync(`${from.name}.snapshot`)).toBe(false)
})

test('a reader of an old state does not make a dump old', async () => {
  const from = await database(join(folder(), 'a.db'), 10)
  await holder(from.name, `db.exec('begin'); db.prepare('select count(*) from t').get()`)
  const opened = new DatabaseSync(from.name)
  opened.exec('insert into t values (11, null)')
  opened.close()
  const to = await database(join(folder(), 'b.db'))
  await server.copy(from, to)
  expect((await server.statistics(to)).rows).toEqual({ t: 11 })
})

test('others write on while a dump is read slowly, and the dump does not change', async () => {
  const from = await database(join(folder(), 'a.db'), 5000)
  const { content, done } = await server.dump(from)
  // In a process of its own, which moves the log into the file if it may.
  const script = `
    const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync(process.argv[1])
    db.exec('delete from t where n > 10')
    db.exec('vacuum')
    db.exec('pragma wal_checkpoint(passive)')`
  await execute(process.execPath, ['--no-warnings', '-e', script, from.name])
  const bytes = await buffer(content)
  await done
  const to = await database(join(folder(), 'b.db'))
  await server.restore(to, Readable.from([bytes]))
  expect((await server.statistics(to)).rows).toEqual({ t: 5000 })
  expect((await server.statistics(from)).rows).toEqual({ t: 10 })
})

test('a full disk is ERR_DISK_FULL, and leaves the empty database', async ({ skip }) => {
  if (!isRoot) return skip('only root can make a small disk')
  const disk = folder()
  await execute('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk]).catch(() => skip('no tmpfs here'))
  cleanUps.push(() => execute('umount', ['--lazy', disk]))
  const from = await database(join(folder(), 'a.db'), 2000)
  const to = await database(join(disk, 'b.db'))
  const { content, done } = await server.dump(from)
  await expect(server.restore(to, content)).rejects.toMatchObject({ code: 'ERR_DISK_FULL' })
  await done.catch(() => {})
  await expect(server.copy(from, to)).rejects.toMatchObject({ code: 'ERR_DISK_FULL' })
  expect((await server.statistics(to)).rows).toEqual({})
  expect(readdirSync(disk).filter((name) => name.includes('restoring'))).toEqual([])
})

test('a file that is not a database, a folder and an unreadable folder have different errors', async () => {
  const place = folder()
  const account = (name: string) => ({ name: join(place, name), user: '', password: '' })
  writeFileSync(join(place, 'text.db'), 'this is no database, but long enough to look at '.repeat(100))
  mkdirSync(join(place, 'folder.db'))
  await expect(server.dump(account('text.db'))).rejects.toMatchObject({ code: 'ERR_FAILED', message: /no SQLite/ })
  await expect(server.statistics(account('text.db'))).rejects.toMatchObject({ code: 'ERR_FAILED' })
  await expect(server.dump(account('folder.db'))).rejects.toMatchObject({ code: /ERR_UNREACHABLE|ERR_FAILED/ })
  await expect(server.create(account('text.db/inside.db'))).rejects.toMatchObject({ code: /ERR_/ })
  await expect(server.dump(account('none.db'))).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(server.create(account(`${'x'.repeat(300)}.db`))).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
  if (isRoot) return
  const closed = await database(join(place, 'closed', 'a.db'))
  chmodSync(dirname(closed.name), 0)
  await expect(server.dump(closed)).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
  chmodSync(dirname(closed.name), 0o700)
})

test('a dump of a file that is cut while it is read fails', async () => {
  const account = await database(join(folder(), 'cut.db'), 6000)
  const { content, done } = await server.dump(account)
  truncateSync(account.name, 3_000_000)
  content.on('error', () => {}).resume()
  await expect(done).rejects.toMatchObject({ code: 'ERR_FAILED', message: expect.stringContaining('it was cut while') })
})
