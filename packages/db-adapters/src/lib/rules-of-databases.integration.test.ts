import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createModel, systemPrincipal } from '@steward/rest-core'
import type { BusinessObjects, ObjectDefinition, ObjectStore } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onEachServer } from '../../test/server-stores.js'
import { createSqliteStore } from '../sqlite.js'

type Name = 'sqlite' | 'postgresql' | 'mysql' | 'mssql'

const me = systemPrincipal({ login: 'me' })

/** Tables whose rows the definitions below identify by a column without a unique index. */
const twins = [
  `create table twin (code varchar(10) not null, name varchar(20))`,
  `insert into twin values ('a', 'one'), ('a', 'two'), ('b', 'three')`,
]

/** Triggers that keep no row, or keep it elsewhere. */
const dropping: Readonly<Record<Name, readonly string[]>> = {
  sqlite: [
    'create table dropped (code varchar(10) primary key not null, name varchar(20))',
    'create table seen (code varchar(10))',
    `create trigger drops before insert on dropped begin
      insert into seen values (new.code);
      select raise(ignore);
    end`,
  ],
  postgresql: [
    'create table dropped (code varchar(10) primary key, name varchar(20))',
    'create table seen (code varchar(10))',
    `create function drops() returns trigger language plpgsql as
      $$ begin insert into seen values (new.code); return null; end $$`,
    'create trigger drops before insert on dropped for each row execute function drops()',
  ],
  // The key is another one than the client gave.
  mysql: [
    'create table dropped (code varchar(10) primary key, name varchar(20))',
    'create table seen (code varchar(10))',
    `create trigger drops before insert on dropped for each row begin
      insert into seen values (new.code);
      set new.code = 'other';
    end`,
  ],
  mssql: [
    'create table dropped (code varchar(10) primary key, name varchar(20))',
    'create table seen (code varchar(10))',
    'create trigger drops on dropped instead of insert as begin insert into seen select code from inserted end',
  ],
}

/** Booleans as other programs store them, in a key: row ids are `1~true` and so on, the last one that of two rows. */
const switches: Readonly<Partial<Record<Name, readonly string[]>>> = {
  sqlite: ['create table switch (room integer, is_on boolean, name varchar(20), primary key (room, is_on))'],
  mysql: ['create table switch (room int, is_on tinyint(1), name varchar(20), primary key (room, is_on))'],
}
const switchRows = "insert into switch values (1, -1, 'a'), (1, 0, 'b'), (2, 1, 'c'), (3, 1, 'd'), (3, -1, 'e')"

const Switch: ObjectDefinition = {
  name: 'Switch',
  table: 'switch',
  timestamps: false,
  fields: {
    row_id: { type: 'id', fields: ['room', 'is_on'] },
    room: { type: 'integer' },
    is_on: { type: 'boolean' },
    name: { type: 'string', length: 20 },
  },
}

const byCode = (name: string): ObjectDefinition => ({
  name,
  table: name.toLowerCase(),
  timestamps: false,
  fields: {
    row_id: { type: 'id', values: 'string', column: 'code', readOnly: false },
    name: { type: 'string', length: 20 },
  },
})

function rules(name: Name, run: (sql: string) => Promise<readonly object[]>, open: () => ObjectStore): void {
  describe(`rules of ${name}`, () => {
    let store: ObjectStore
    let service: BusinessObjects
    const model = createModel([byCode('Twin'), byCode('Dropped'), Switch])

    beforeAll(async () => {
      for (const sql of [...twins, ...dropping[name]]) await run(sql)
      for (const sql of switches[name] ?? []) await run(sql)
      if (switches[name]) await run(switchRows)
      store = open()
      service = createBusinessObjects({ model, store })
    })

    const twinRows = () => run(`select code, name from twin order by name`)
    const before = [
      { code: 'a', name: 'one' },
      { code: 'b', name: 'three' },
      { code: 'a', name: 'two' },
    ]

    it('a write whose row id has several rows is undone', async () => {
      const refusal = { status: 409, message: expect.stringContaining('Several rows of "Twin"') as string }
      await expect(service.update(me, 'Twin', 'a', { name: 'changed' })).rejects.toMatchObject(refusal)
      await expect(service.delete(me, 'Twin', 'a')).rejects.toMatchObject(refusal)
      expect(await twinRows()).toStrictEqual(before)
    })

    it('such a write ends its transaction, even when the error is swallowed', async () => {
      const twin = model.object('Twin')
      const work = store.transaction(async (session) => {
        await session.update(twin, 'b', { name: 'other' }, { select: twin.selection })
        await session.delete(twin, 'a').catch(() => {})
      })
      if (name === 'sqlite') await work
      else await expect(work).rejects.toMatchObject({ code: 'rows' })
      const kept = name === 'sqlite' ? [before[0], { code: 'b', name: 'other' }, before[2]] : before
      expect(await twinRows()).toStrictEqual(kept)
      await run(`update twin set name = 'three' where code = 'b'`)
    })

    it('a row id with one row is written', async () => {
      expect(await service.update(me, 'Twin', 'b', { name: 'thrice' })).toMatchObject({ name: 'thrice' })
      expect(await service.delete(me, 'Twin', 'b')).toMatchObject({ row_id: 'b' })
      expect(await service.create(me, 'Twin', { row_id: 'b', name: 'three' })).toMatchObject({ row_id: 'b' })
      expect(await twinRows()).toStrictEqual(before)
    })

    it.skipIf(!switches[name])('a key with a boolean that is -1 is found by the row id that is shown', async () => {
      const ids: string[] = []
      for await (const records of await service.search(me, 'Switch')) ids.push(...records.map(({ row_id: id }) => id))
      expect(ids.toSorted()).toStrictEqual(['1~false', '1~true', '2~true', '3~true', '3~true'])
      expect(await service.get(me, 'Switch', '1~true')).toMatchObject({ name: 'a', is_on: true })
      expect(await service.get(me, 'Switch', '1~false')).toMatchObject({ name: 'b', is_on: false })
      expect(await service.count(me, 'Switch', { filters: { row_id: '1~true' } })).toMatchObject({ count: 1 })
      expect(await service.update(me, 'Switch', '1~true', { name: 'z' })).toMatchObject({ name: 'z' })
      const kept = await run('select room, is_on, name from switch where room = 1 order by is_on')
      expect(kept.map((row) => Object.values(row).map(String))).toStrictEqual([
        ['1', '-1', 'z'],
        ['1', '0', 'b'],
      ])
      await expect(service.delete(me, 'Switch', '3~true')).rejects.toMatchObject({ status: 409 })
      await expect(service.update(me, 'Switch', '3~true', { name: 'x' })).rejects.toMatchObject({ status: 409 })
      expect(await run("select * from switch where name in ('d', 'e')")).toHaveLength(2)
      expect(await service.delete(me, 'Switch', '1~true')).toMatchObject({ row_id: '1~true' })
    })

    it('an insert of which the table has no row is refused and undone', async () => {
      await expect(service.create(me, 'Dropped', { row_id: 'x', name: 'n' })).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining('kept no record of "Dropped"') as string,
      })
      expect(await run('select * from seen')).toStrictEqual([])
      expect(await run('select * from dropped')).toStrictEqual([])
    })
  })
}

onEachServer((database) => {
  rules(
    database.name,
    (sql) => database.admin.rows(sql),
    () => database.store(),
  )
})

onEachServer(
  (database) => {
    describe('inheritance on postgresql', () => {
      let service: BusinessObjects
      beforeAll(async () => {
        await database.admin.rows(`
        create table event_log (id bigserial primary key, text text not null);
        create table event_log_now () inherits (event_log);
        create function route() returns trigger language plpgsql as
          $$ begin insert into event_log_now values (new.*); return null; end $$;
        create trigger route before insert on event_log for each row execute function route()`)
        const store = database.store()
        service = createBusinessObjects({ model: createModel((await store.introspect()).objects), store })
      })

      it('a row that a trigger stores in a child is the created record', async () => {
        const record = await service.create(me, 'EventLog', { text: 'hello' })
        expect(record).toMatchObject({ row_id: '1', text: 'hello' })
        expect(await database.admin.rows('select id::int, text from only event_log_now')).toStrictEqual([
          { id: 1, text: 'hello' },
        ])
        expect(await service.update(me, 'EventLog', '1', { text: 'bye' })).toMatchObject({ text: 'bye' })
        expect(await service.delete(me, 'EventLog', '1')).toMatchObject({ row_id: '1' })
      })

      it('a table that others inherit from is served as long as its key holds for their rows', async () => {
        const { rows } = database.admin
        await rows(`
        create table animal (id int primary key, name text not null);
        create table dog (breed text, primary key (id)) inherits (animal);
        insert into animal values (1, 'generic'); insert into dog values (2, 'fido', 'pug')`)
        const store = database.store()
        const { objects, notes } = await store.introspect()
        const animals = objects.filter(({ name }) => ['Animal', 'Dog'].includes(name))
        expect(animals.map(({ name, readOnly = false }) => [name, readOnly])).toStrictEqual([
          ['Animal', false],
          ['Dog', false],
        ])
        expect(notes).toContainEqual({ table: 'animal', text: expect.stringContaining('(dog)') as string })
        const animal = createBusinessObjects({ model: createModel(animals), store })
        expect(await animal.update(me, 'Animal', '2', { name: 'rex' })).toMatchObject({ name: 'rex' })

        // From now on the key is one of two rows.
        await rows(`insert into dog values (1, 'bello', 'boxer')`)
        await expect(animal.update(me, 'Animal', '1', { name: 'x' })).rejects.toMatchObject({ status: 409 })
        await expect(animal.delete(me, 'Animal', '1')).rejects.toMatchObject({ status: 409 })
        expect(await rows('select name from animal order by name')).toMatchObject([
          { name: 'bello' },
          { name: 'generic' },
          { name: 'rex' },
        ])
        expect(await animal.update(me, 'Dog', '1', { breed: 'pug' })).toMatchObject({ breed: 'pug' })
        const { objects: now, skipped } = await store.introspect()
        expect(now.map(({ name }) => name)).not.toContain('Animal')
        expect(skipped).toContainEqual({ table: 'animal', reason: expect.stringContaining('inherit') as string })
      })
    })
  },
  ['postgresql'],
)

onEachServer(
  (database) => {
    it('what triggers refuse with codes of their own, and triggers that miss a table, are clear refusals', async () => {
      const { rows } = database.admin
      const isPostgresql = database.name === 'postgresql'
      for (const table of ['coded', 'missing'])
        await rows(`create table ${table} (code varchar(10) primary key, name varchar(20))`)
      const triggers = isPostgresql
        ? [
            `create function refuse_coded() returns trigger language plpgsql as
              $$ begin raise exception 'not on Sundays' using errcode = 'U0001'; end $$`,
            'create trigger t before insert on coded for each row execute function refuse_coded()',
            `create function log_missing() returns trigger language plpgsql as
              $$ begin insert into not_there values (1); return new; end $$`,
            'create trigger t before insert on missing for each row execute function log_missing()',
          ]
        : [
            `create trigger t before insert on coded for each row
              signal sqlstate '45001' set mysql_errno = 31001, message_text = 'not on Sundays'`,
            `create trigger u before insert on missing for each row update missing set name = 'x'`,
          ]
      for (const sql of triggers) await rows(sql)
      const model = createModel([byCode('Coded'), byCode('Missing')])
      const service = createBusinessObjects({ model, store: database.store() })
      await expect(service.create(me, 'Coded', { row_id: 'a' })).rejects.toMatchObject({ code: 'ERR_VALIDATION' })
      await expect(service.create(me, 'Missing', { row_id: 'a' })).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    })
  },
  ['postgresql', 'mysql'],
)

onEachServer(
  (database) => {
    it('a view of a table that is gone is left out with the reason, and refused by hand', async () => {
      const { rows } = database.admin
      for (const sql of [
        'create table old (code varchar(10) primary key, name varchar(20))',
        'create view broken as select code, name from old',
        'drop table old',
      ])
        await rows(sql)
      const store = database.store()
      const { skipped } = await store.introspect()
      expect(skipped).toMatchObject([{ table: 'broken', reason: expect.stringContaining('invalid table') as string }])
      const service = createBusinessObjects({ model: createModel([byCode('Broken')]), store })
      await expect(service.count(me, 'Broken')).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('"Broken"') as string,
      })
    })
  },
  ['mysql'],
)

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-rules-'))
  const filename = join(folder, 'test.db')
  const store = createSqliteStore({ filename })
  const database = new Database(filename)
  afterAll(async () => {
    database.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  rules(
    'sqlite',
    async (sql) => {
      if (!sql.startsWith('select')) {
        database.exec(sql)
        return []
      }
      return database.prepare<[], object>(sql).all()
    },
    () => store,
  )
})
