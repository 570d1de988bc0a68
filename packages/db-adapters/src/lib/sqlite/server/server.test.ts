import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'vitest'
import { testDatabaseServer } from '../../server/contract-suite.js'
import { createDatabaseServer } from '../../create-database-server.js'

/** In a process of its own: a process that closes a file gives up its locks on it. */
const writer = `
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(process.argv[1], { timeout: 60_000 })
  db.exec('pragma synchronous = normal')
  for (let n = 0; ; n++) {
    db.exec("begin immediate; insert into one values (" + n + ", hex(randomblob(500))); insert into two values (" + n + ", 'x'); commit")
    if (n % 500 === 0) db.exec('pragma wal_checkpoint(passive)')
  }`

describe('sqlite', () => {
  testDatabaseServer(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-sqlite-server-'))
    let number = 0
    return {
      make: (options = {}) => createDatabaseServer({ type: 'sqlite', ...options }),
      account: (label) => ({ name: join(folder, `${label} ${++number}`, 'ä.db'), user: '', password: '' }),
      async connect({ name }) {
        const database = new DatabaseSync(name, { timeout: 60_000 })
        return {
          query: async (sql) =>
            database
              .prepare(sql)
              .all()
              .map((row) => ({ ...row })),
          close: async () => database.close(),
        }
      },
      content: [
        `create table rows_of_all (id integer primary key autoincrement, t text, b blob, d numeric, n text)`,
        `insert into rows_of_all (t, b, d, n) values ('Ärger 😀 "quoted" ''single'' \\ back' || char(10) || 'line', x'00ff27', 12.5, null), ('', zeroblob(20000), -3, '123456789012345678901234567890.125')`,
        `insert into rows_of_all (id, t) values (90, 'last')`,
        'delete from rows_of_all where id = 90',
        'create view big_rows as select * from rows_of_all where d > 5',
        'create table child (id integer primary key, row_id integer references rows_of_all on delete restrict)',
        'insert into child values (1, 2)',
      ],
      shown: [
        'select id, t, hex(b) as b, d, n from rows_of_all order by id',
        'select id from big_rows',
        'select * from child',
        `insert into rows_of_all (t) values ('next') returning id`,
        'delete from rows_of_all where id = 91',
        `update sqlite_sequence set seq = 90`,
      ],
      async startWriter({ name }) {
        const child = spawn(process.execPath, ['--no-warnings', '-e', writer, name], { stdio: 'inherit' })
        return {
          async written() {
            const database = new DatabaseSync(name, { readOnly: true, timeout: 60_000 })
            const { n } = database.prepare('select count(*) as n from one').get() as { n: number }
            database.close()
            return n
          },
          async stop() {
            const ended = once(child, 'exit')
            child.kill('SIGKILL')
            await ended
          },
        }
      },
      atomicRestore: false,
      needsTools: false,
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
})
