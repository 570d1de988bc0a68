import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createModel, systemPrincipal } from '@steward/rest-core'
import type { BusinessObjects, Introspection, ObjectDefinition } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onEachServer, openStore } from '../../test/server-stores.js'
import { createSqliteStore } from '../sqlite.js'

const me = systemPrincipal({ login: 'me' })

const tables = [
  'create table secret_notes (id int primary key, name varchar(20))',
  'create table partly (id int primary key, open varchar(20), hidden varchar(20), fixed varchar(20))',
  'create table no_write (id int primary key, name varchar(20))',
  'create table insert_only (id int primary key, name varchar(20))',
  `insert into partly values (1, 'o', 'h', 'f')`,
  `insert into no_write values (1, 'a')`,
]

const grants = (user: string): readonly string[] => [
  `grant select (id, open, fixed), update (open) on partly to ${user}`,
  `grant select on no_write to ${user}`,
  `grant select, insert on insert_only to ${user}`,
]

/** The same table as its owner would describe it. */
const described = (name: string, table: string): ObjectDefinition => ({
  name,
  table,
  timestamps: false,
  fields: { row_id: { type: 'id', column: 'id', readOnly: false }, name: { type: 'string', length: 20 } },
})

onEachServer(
  (database) => {
    describe(`rights of the user of ${database.name}`, () => {
      const user = `reader_${randomBytes(4).toString('hex')}`
      const isPostgresql = database.name === 'postgresql'
      const account = isPostgresql ? user : `'${user}'@'%'`
      let found: Introspection
      let service: BusinessObjects
      /** On definitions by hand. */
      let direct: BusinessObjects
      let close: () => Promise<void>

      beforeAll(async () => {
        const { rows } = database.admin
        for (const sql of tables) await rows(sql)
        await rows(
          isPostgresql
            ? `create role ${user} login password 'secret'`
            : `create user ${account} identified by 'secret'`,
        )
        for (const sql of grants(account)) await rows(sql)
        const url = new URL(database.url)
        Object.assign(url, { username: user, password: 'secret' })
        url.search = ''
        const store = openStore(database.name, url.href)
        close = () => store.close()
        found = await store.introspect()
        service = createBusinessObjects({ model: createModel(found.objects), store })
        const own = [described('SecretNotes', 'secret_notes'), described('NoWrite', 'no_write')]
        direct = createBusinessObjects({ model: createModel(own), store })
      })
      afterAll(async () => {
        await close?.()
        await database.admin.rows(isPostgresql ? `drop owned by ${user}` : `drop user ${account}`)
        if (isPostgresql) await database.admin.rows(`drop role ${user}`)
      })

      it('introspect() leaves out what cannot be read, and marks what cannot be written', () => {
        expect(found.objects.map(({ name, readOnly = false }) => [name, readOnly])).toStrictEqual([
          ['InsertOnly', false],
          ['NoWrite', true],
          ['Partly', false],
        ])
        const partly = found.objects.find(({ name }) => name === 'Partly')
        expect(Object.keys(partly?.fields ?? {})).toStrictEqual(['row_id', 'open', 'fixed'])
        expect(partly?.fields['fixed']).toMatchObject({ readOnly: true })
        expect(partly?.fields['open']).not.toHaveProperty('readOnly')
        // Others say nothing at all of what their user may not see.
        if (isPostgresql)
          expect(found.skipped).toStrictEqual([
            { table: 'partly', column: 'hidden', reason: `the database's user may not read it` },
            { table: 'secret_notes', reason: `the database's user may not read it` },
          ])
      })

      it('what may be done is done', async () => {
        expect(await service.get(me, 'Partly', '1')).toStrictEqual({ row_id: '1', open: 'o', fixed: 'f' })
        expect(await service.update(me, 'Partly', '1', { open: 'p' })).toMatchObject({ open: 'p' })
        expect(await service.create(me, 'InsertOnly', { row_id: '7', name: 'n' })).toMatchObject({ row_id: '7' })
        expect(await service.count(me, 'NoWrite')).toMatchObject({ count: 1 })
      })

      it('the rest is refused with 403, also by hand', async () => {
        const right = { code: 'ERR_RIGHT', status: 403 }
        await expect(service.update(me, 'NoWrite', '1', { name: 'b' })).rejects.toMatchObject(right)
        await expect(service.update(me, 'InsertOnly', '7', { name: 'b' })).rejects.toMatchObject(right)
        await expect(service.delete(me, 'InsertOnly', '7')).rejects.toMatchObject(right)
        await expect(service.create(me, 'Partly', { row_id: '2', open: 'x' })).rejects.toMatchObject(right)
        await expect(direct.get(me, 'SecretNotes', '1')).rejects.toMatchObject(right)
        await expect(direct.count(me, 'SecretNotes')).rejects.toMatchObject(right)
        await expect(direct.create(me, 'NoWrite', { row_id: '2', name: 'x' })).rejects.toMatchObject(right)
        await expect(direct.update(me, 'NoWrite', '1', { name: 'x' })).rejects.toMatchObject(right)
        await expect(direct.delete(me, 'NoWrite', '1')).rejects.toMatchObject(right)
        expect(await database.admin.rows('select name from no_write')).toStrictEqual([{ name: 'a' }])
      })
    })
  },
  ['postgresql', 'mysql'],
)

onEachServer(
  (database) => {
    it('an account that only reads finds objects that are read-only', async () => {
      await database.admin.rows('create table note (id int primary key, name varchar(20))')
      const url = new URL(database.url)
      url.searchParams.set('options', '-c default_transaction_read_only=on')
      const store = openStore('postgresql', url.href)
      const { objects } = await store.introspect()
      expect(objects).toMatchObject([{ name: 'Note', readOnly: true }])
      const model = createModel([described('Note', 'note')])
      const service = createBusinessObjects({ model, store })
      await expect(service.create(me, 'Note', { row_id: '1', name: 'n' })).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining('read-only') as string,
      })
      await store.close()
    })

    it('what row-level security refuses is refused with 403', async () => {
      const { rows } = database.admin
      await rows(`
        create role guarded_by_rules; create table guarded (id int primary key, name text);
        grant all on guarded to guarded_by_rules; alter table guarded enable row level security;
        create policy own on guarded using (true) with check (name <> 'theirs')`)
      const url = new URL(database.url)
      url.searchParams.set('options', '-c role=guarded_by_rules')
      const store = openStore('postgresql', url.href)
      const { objects } = await store.introspect()
      const service = createBusinessObjects({
        model: createModel(objects.filter(({ name }) => name === 'Guarded')),
        store,
      })
      await service.create(me, 'Guarded', { row_id: '1', name: 'mine' })
      const right = { code: 'ERR_RIGHT' }
      await expect(service.create(me, 'Guarded', { row_id: '2', name: 'theirs' })).rejects.toMatchObject(right)
      await expect(service.update(me, 'Guarded', '1', { name: 'theirs' })).rejects.toMatchObject(right)
      await store.close()
      await rows('drop owned by guarded_by_rules; drop role guarded_by_rules')
    })
  },
  ['postgresql'],
)

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-rights-'))
  afterAll(() => {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true, force: true })
  })

  it('foreign keys that fit nothing are noted, and their writes are refused with their names', async () => {
    const filename = join(folder, 'misfit.db')
    const database = new Database(filename)
    database.exec(`
      create table parent (id integer, name text);
      insert into parent values (1, 'p');
      create table child (id integer primary key, parent_id integer references parent (id));
      create table orphan (id integer primary key, parent_id integer references gone (id))`)
    database.close()
    const store = createSqliteStore({ filename })
    const { objects, notes } = await store.introspect()
    expect(notes).toMatchObject([
      { table: 'child', text: expect.stringContaining('Add a unique index') as string },
      { table: 'orphan', text: expect.stringContaining('"gone", which is missing') as string },
    ])
    const service = createBusinessObjects({ model: createModel(objects), store })
    const refusal = (name: string) => ({ status: 409, message: expect.stringContaining(name) as string })
    await expect(service.create(me, 'Child', { parent_id: 1 })).rejects.toMatchObject(
      refusal('"child" referencing "parent"'),
    )
    await expect(service.create(me, 'Orphan', { parent_id: 1 })).rejects.toMatchObject(refusal('no table "gone"'))
    await expect(service.create(me, 'Parent', { name: 'p' })).rejects.toMatchObject(refusal('referencing "parent"'))
    await expect(service.delete(me, 'Parent', '1')).rejects.toMatchObject(refusal('"child" referencing "parent"'))
    await store.close()
  })

  /** @param spoil makes the file one that may only be read */
  async function served(filename: string, spoil: () => void): Promise<void> {
    const database = new Database(filename)
    database.exec(`create table note (id integer primary key, name text); insert into note values (1, 'a')`)
    database.close()
    spoil()
    const store = createSqliteStore({ filename })
    const { objects } = await store.introspect()
    expect(objects).toMatchObject([{ name: 'Note', readOnly: true }])
    const service = createBusinessObjects({ model: createModel(objects), store })
    expect(await service.get(me, 'Note', '1')).toMatchObject({ name: 'a' })
    expect(await service.count(me, 'Note')).toMatchObject({ count: 1 })
    await expect(service.create(me, 'Note', { name: 'b' })).rejects.toMatchObject({ status: 403 })
    const direct = createBusinessObjects({ model: createModel([described('Note', 'note')]), store })
    for (const write of [
      direct.create(me, 'Note', { row_id: '2', name: 'b' }),
      direct.update(me, 'Note', '1', { name: 'b' }),
      direct.delete(me, 'Note', '1'),
    ])
      await expect(write).rejects.toMatchObject({ code: 'ERR_RIGHT' })
    await store.close()
  }

  it('a file that may only be read is served read-only', async () => {
    const filename = join(folder, 'read-only.db')
    await served(filename, () => {
      // A later version of the format, which this one may read: not even root may write it.
      const file = openSync(filename, 'r+')
      writeSync(file, Buffer.from([3]), 0, 1, 18)
      closeSync(file)
    })
  })

  it('so is one in a folder that may only be read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may do everything')
    const inner = mkdtempSync(join(folder, 'closed-'))
    await served(join(inner, 'read-only.db'), () => chmodSync(inner, 0o500))
    chmodSync(inner, 0o700)
  })
})
