import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgeFile, forgeManifest, type Forgery } from './forgery.js'

/** Another content of the dump of an embedded database, which is its file. */
const file = (name: string, content: (variables: Readonly<Record<string, string>>) => Buffer): Forgery => ({
  name: `a dump: ${name}`,
  forge: (folder, variables) => forgeFile(folder, 'db.sqlite.zst', content(variables)),
})

function databaseOf(...statements: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'steward-forged-'))
  try {
    const path = join(folder, 'database.db')
    const database = new DatabaseSync(path)
    database.exec(
      "create table note (id integer primary key, text text not null); insert into note values (1, 'first')",
    )
    for (const statement of statements) database.exec(statement)
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const dumpForgeries: readonly Forgery[] = [
  file('of random bytes', () => randomBytes(8192)),
  file('of commands for a client', ({ MARKS = '' }) =>
    Buffer.from(
      `\\! touch ${MARKS}/psql\n.shell touch ${MARKS}/sqlite\nsystem touch ${MARKS}/mysql\nhost touch ${MARKS}/oracle\n`,
    ),
  ),
  file('with a damaged page', () => {
    const bytes = databaseOf()
    bytes.fill(255, 100, 130)
    return bytes
  }),
  file('with views and triggers that never end', () =>
    databaseOf(
      'create view endless as with recursive c(x) as (select 1 union all select x + 1 from c) select x from c',
      'create trigger loot after insert on note begin delete from note where id in (select x from endless); end',
    ),
  ),
  file('with tables that load and attach', ({ OTHER = '' }) =>
    databaseOf(
      `create table "attach database '${OTHER}/data/database.db' as other" (x)`,
      'create virtual table loot using fts5(x)',
    ),
  ),
  {
    name: 'a dump: in the portable format, of lines that are none',
    forge(folder) {
      forgeFile(folder, 'db.portable.zst', Buffer.from(`{"__proto__":{}}\n${'['.repeat(100_000)}\n`))
      forgeManifest(folder, (one) => ({ ...one, files: one.files.filter(({ name }) => name !== 'db.sqlite.zst') }))
    },
  },
]
