import { createModel } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { onSqlite } from '../../../../test/schema-databases.js'
import { applySync, planSync } from '../../schema/sync.js'

onSqlite((database) => {
  const sync = (...definitions: Parameters<typeof createModel>[0]) =>
    applySync(createModel(definitions), database.connection, database.dialect, { destructive: true })

  it('a table that is made again keeps everything its owner gave it', async () => {
    await database.script(
      `
      create table parent (id integer primary key, label text);
      create table "my table" (
        id integer primary key autoincrement, -- the key, of course
        "Name" varchar(10) collate nocase default 'none' check (length("Name") < 9) not null,
        parent_id int, qty int default (1 + 1), double generated always as (qty * 2) virtual,
        unique (qty, "Name"), check (qty > 0)) strict;`
        .replace('varchar(10)', 'text')
        .replace(') strict', ')'),
    )
    await database.script(`
      create index by_qty on "my table" (qty) where qty > 1;
      create table log (what text);
      create trigger keep_log after insert on "my table" begin insert into log values (new."Name"); end;
      create view shown as select "Name", label from "my table" join parent on parent.id = parent_id;
      create table child (id integer primary key, up int references "my table" (id) on delete cascade);
      insert into parent (label) values ('p');
      insert into "my table" ("Name", parent_id, qty) values ('a', 1, 5), ('b', null, 7), ('gone', 1, 9);
      delete from "my table" where "Name" = 'gone';
      insert into child (up) values (1)`)

    const done = await sync(
      {
        name: 'Mine',
        table: 'my table',
        timestamps: false,
        fields: {
          row_id: { type: 'id', column: 'id' },
          parent_id: { type: 'reference', object: 'Parent', onDelete: 'setNull' },
        },
      },
      { name: 'Parent', timestamps: false, fields: { row_id: { type: 'id', column: 'id' }, label: { type: 'text' } } },
    )
    expect(done.steps.map(({ kind }) => kind)).toStrictEqual(['addIndex', 'addForeignKey'])

    const [{ sql }] = (await database.rows(`select sql from sqlite_master where name = 'my table'`)) as [
      { sql: string },
    ]
    for (const part of [
      '-- the key, of course',
      `collate nocase default 'none' check (length("Name") < 9)`,
      '(qty * 2) virtual',
      'check (qty > 0)',
    ]) {
      expect(sql).toContain(part)
    }
    expect(await database.rows(`select id, "Name", parent_id, qty, double from "my table"`)).toStrictEqual([
      { id: 1, Name: 'a', parent_id: 1, qty: 5, double: 10 },
      { id: 2, Name: 'b', parent_id: null, qty: 7, double: 14 },
    ])
    await database.script(`insert into "my table" ("Name") values ('c')`)
    expect(await database.rows(`select max(id) as id from "my table"`)).toStrictEqual([{ id: 4 }])
    expect(await database.rows('select what from log where rowid > 3')).toStrictEqual([{ what: 'c' }])
    expect(await database.rows('select * from shown')).toStrictEqual([{ Name: 'a', label: 'p' }])
    expect(
      await database.rows(
        `select name from sqlite_master where tbl_name = 'my table' and type = 'index' and sql is not null order by 1`,
      ),
    ).toStrictEqual([{ name: 'by_qty' }, { name: 'stw_ix_my table_parent_id' }])
    await database.script('delete from parent')
    expect(await database.rows(`select parent_id from "my table" where id = 1`)).toStrictEqual([{ parent_id: null }])
    await database.script(`delete from "my table" where id = 1`)
    expect(await database.rows('select * from child')).toStrictEqual([])
    expect(
      await database.rows(
        `select foreign_keys, legacy_alter_table from pragma_foreign_keys, pragma_legacy_alter_table`,
      ),
    ).toStrictEqual([{ foreign_keys: 1, legacy_alter_table: 0 }])
  })

  it('rows of a table without a primary key keep their rowid', async () => {
    await database.script(`
      create table free (a text, b int);
      insert into free (rowid, a, b) values (5, 'x', 1), (9, 'y', null)`)
    const fields = {
      row_id: { type: 'id', column: 'rowid' },
      a: { type: 'text' },
      b: { type: 'reference', object: 'Target' },
    } as const
    await database.script(
      'create table target (row_id integer primary key autoincrement, a int); insert into target (a) values (1)',
    )
    await sync(
      { name: 'Free', timestamps: false, fields },
      { name: 'Target', timestamps: false, fields: { a: { type: 'integer' } } },
    )
    expect(await database.rows('select rowid, a, b from free order by 1')).toStrictEqual([
      { rowid: 5, a: 'x', b: 1 },
      { rowid: 9, a: 'y', b: null },
    ])
  })

  it('a table without rowid can be made again', async () => {
    await database.script(
      `create table slim (code text primary key, n int) without rowid; insert into slim values ('a', 1)`,
    )
    const id = { row_id: { type: 'id', column: 'code', values: 'string' } } as const
    await sync(
      { name: 'Slim', timestamps: false, fields: { ...id, n: { type: 'reference', object: 'Target' } } },
      { name: 'Target', timestamps: false, fields: { a: { type: 'integer' } } },
    )
    expect(await database.rows('select * from slim')).toStrictEqual([{ code: 'a', n: 1 }])
    expect(await database.rows(`select "table" from pragma_foreign_key_list('slim')`)).toStrictEqual([
      { table: 'target' },
    ])
  })

  it('decimals move between numbers and sortable text', async () => {
    const withSize = (precision: number, scale: number) =>
      ({
        name: 'Price',
        timestamps: false,
        fields: { p: { type: 'decimal', precision, scale, unique: true } },
      }) as const
    await sync(withSize(10, 2))
    await database.script('insert into price (p) values (-1.5), (0), (12345678.25), (100), (null)')
    await sync(withSize(30, 4))
    expect(await database.rows('select p from price order by p')).toStrictEqual([
      { p: null },
      { p: 'n98:8.4~' },
      { p: 'p01:0' },
      { p: 'p03:100' },
      { p: 'p08:12345678.25' },
    ])
    await sync(withSize(6, 1))
    expect(await database.rows('select p from price order by p')).toStrictEqual([
      { p: null },
      { p: null },
      { p: -1.5 },
      { p: 0 },
      { p: 100 },
    ])
  })

  it('a failure in the middle leaves everything as it was', async () => {
    await database.script(`
      create table frail (row_id integer primary key autoincrement, a varchar(5) check (length(a) < 4));
      insert into frail (a) values ('12')`)
    const before = await database.rows('select * from sqlite_master order by name')
    const model = createModel([
      {
        name: 'Frail',
        timestamps: false,
        fields: { added: { type: 'string' }, a: { type: 'integer' }, a2: { type: 'integer', unique: true } },
      },
    ])
    await database.script('create trigger frail_t after update on frail begin insert into nowhere values (1); end')
    await database.script('drop trigger frail_t')
    const broken = {
      ...database.connection,
      run: (sql: string, bindings?: readonly never[]) =>
        sql.startsWith('drop table')
          ? Promise.reject(new Error('disk is full'))
          : database.connection.run(sql, bindings),
    }
    await expect(applySync(model, broken, database.dialect, { destructive: true })).rejects.toThrow(
      /frail\.a .*disk is full.*Nothing was changed/,
    )
    expect(await database.rows('select * from sqlite_master order by name')).toStrictEqual(before)
    expect((await planSync(model, database.connection, database.dialect)).steps).toHaveLength(4)
    expect(await database.rows(`select foreign_keys from pragma_foreign_keys`)).toStrictEqual([{ foreign_keys: 1 }])
    await applySync(model, database.connection, database.dialect, { destructive: true })
    expect(await database.rows('select a from frail')).toStrictEqual([{ a: 12 }])
  })
})
