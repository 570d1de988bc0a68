import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel } from '@steward/rest-core'
import { StoreError, type StoreErrorCode } from '@steward/rest-core/errors'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { createSqliteStore } from '../../../sqlite.js'
import { toStoreError } from './errors.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const thing = createModel([
  { name: 'Thing', timestamps: false, fields: { code: { type: 'string', key: true } } },
]).object('Thing')

describe('toStoreError() translates what SQLite throws', () => {
  const database = new Database(':memory:')
  afterAll(() => database.close())
  database.exec(`
    create table parent (id integer primary key, code text unique, year integer not null default 1 check (year > 0)) strict;
    create table restricted (id integer primary key, parent integer references parent (id) on delete restrict);
    create table checked (id integer primary key, parent integer references parent (id));
    create table pair (a text, b text, primary key (a, b)) without rowid;
    create trigger no_year_9 before insert on parent when new.year = 9 begin select raise(abort, 'not in year 9'); end;
    create table misfit (id integer primary key, parent text references pair (b));
    create table orphan (id integer primary key, parent integer references gone (id));
    create table strange (id integer primary key);
    create trigger strange_call before insert on strange begin select unknown_call(new.id); end;
    create view rated as select code, count(*) as n from parent group by code;
    insert into parent (id, code) values (1, 'a'), (2, 'b');
    insert into restricted values (1, 1);
    insert into checked values (1, 2);
    insert into pair values ('a', 'b')`)

  const cases: [sql: string, code: StoreErrorCode][] = [
    [`insert into parent (code) values ('a')`, 'unique'],
    [`insert into parent (id) values (1)`, 'unique'],
    [`insert into pair values ('a', 'b')`, 'unique'],
    [`insert into checked values (2, 99)`, 'reference'],
    [`delete from parent where id = 1`, 'reference'],
    [`delete from parent where id = 2`, 'reference'],
    [`insert into parent (year) values (null)`, 'value'],
    [`insert into parent (year) values (0)`, 'value'],
    [`insert into parent (year) values ('x')`, 'value'],
    [`insert into parent (year) values (9)`, 'value'],
    [`insert into parent (id) values ('x')`, 'value'],
    [`select zeroblob(2000000000)`, 'value'],
    [`select '' like '${'%a'.repeat(30_000)}'`, 'value'],
    [`select ${Array(2_000).fill('1').join('+')}`, 'value'],
    [`select * from missing`, 'schema'],
    [`select missing from parent`, 'schema'],
    [`insert into parent (missing) values (1)`, 'schema'],
    [`insert into misfit (parent) values ('b')`, 'broken'],
    [`insert into orphan (parent) values (1)`, 'broken'],
    [`delete from pair`, 'broken'],
    [`insert into strange values (1)`, 'broken'],
    [`insert into rated values ('a', 1)`, 'right'],
    [`selec`, 'internal'],
  ]
  for (const [sql, code] of cases) {
    test(`${code}: ${sql.slice(0, 60)}`, () => {
      let thrown: unknown
      try {
        const statement = database.prepare(sql)
        if (statement.reader) statement.all()
        else statement.run()
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(Error)
      const error = toStoreError(thrown, 'try this')
      expect(error, error.message).toMatchObject({ code, cause: thrown })
      expect(error.message).toContain('Cannot try this')
    })
  }

  test('codes that are hard to bring about', () => {
    const codes: [string, StoreErrorCode][] = [
      ['SQLITE_BUSY', 'busy'],
      ['SQLITE_BUSY_SNAPSHOT', 'busy'],
      ['SQLITE_LOCKED', 'busy'],
      ['SQLITE_IOERR_WRITE', 'unavailable'],
      ['SQLITE_CANTOPEN_ISDIR', 'unavailable'],
      ['SQLITE_INTERRUPT', 'timeout'],
      ['SQLITE_CORRUPT_INDEX', 'internal'],
      ['SQLITE_READONLY', 'right'],
      ['SQLITE_READONLY_DIRECTORY', 'right'],
      ['SQLITE_READONLY_DBMOVED', 'unavailable'],
      ['SQLITE_NOMEM', 'internal'],
    ]
    for (const [code, expected] of codes)
      expect(toStoreError({ code, message: 'x' }, 'try'), code).toMatchObject({ code: expected })
    const own = new StoreError('value', 'own')
    expect(toStoreError(own, 'try')).toBe(own)
  })
})

describe('a store answers with a StoreError', () => {
  async function refusal(filename: string, options: { readOnly?: boolean } = {}): Promise<StoreError> {
    const store = createSqliteStore({ filename, ...options })
    const error = await store.get(thing, '1', { select: thing.selection }).catch((reason: unknown) => reason)
    await store.close()
    expect(error).toBeInstanceOf(StoreError)
    return error as StoreError
  }

  test('when the folder is missing', async () => {
    expect(await refusal(join(folder, 'missing', 'a.db'))).toMatchObject({ code: 'unavailable' })
  })

  test('when the file is a folder, or another kind of file', async () => {
    expect(await refusal(folder)).toMatchObject({ code: 'unavailable' })
    writeFileSync(join(folder, 'text.db'), 'this is no database '.repeat(1_000))
    expect(await refusal(join(folder, 'text.db'))).toMatchObject({
      code: 'internal',
      message: expect.stringContaining('restore a backup') as string,
    })
  })

  test('when the table is missing, or the file must not be made', async () => {
    expect(await refusal(join(folder, 'empty.db'))).toMatchObject({ code: 'schema' })
    expect(await refusal(join(folder, 'not there.db'), { readOnly: true })).toMatchObject({ code: 'unavailable' })
  })

  test('when it may not write', async () => {
    const filename = join(folder, 'read only.db')
    const writer = createSqliteStore({ filename })
    await writer.sync(createModel([thing.definition]))
    await writer.insert(thing, { code: 'a' }, thing.selection)
    const reader = createSqliteStore({ filename, readOnly: true })
    expect(await reader.count(thing)).toBe(1)
    expect(await reader.get(thing, '1', { select: thing.selection })).toMatchObject({ code: 'a' })
    await expect(reader.insert(thing, { code: 'b' }, thing.selection)).rejects.toMatchObject({ code: 'right' })
    await expect(reader.transaction((session) => session.delete(thing, '1'))).rejects.toBeInstanceOf(StoreError)
    expect(await writer.count(thing)).toBe(1)
    await reader.close()
    await writer.close()
  })

  test('when it was closed', async () => {
    const store = createSqliteStore({ filename: join(folder, 'closed.db') })
    await store.ping()
    await store.close()
    for (const call of [
      () => store.ping(),
      () => store.count(thing),
      () => store.insert(thing, {}, thing.selection),
      () => store.introspect(),
    ]) {
      await expect(call()).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' })
    }
  })
})
