import { createModel, type Introspection } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { onMysql, onPostgresql, onSqlite, type TestDatabase } from '../../../test/schema-databases.js'
import { introspect } from './introspect.js'
import { planSync } from './sync.js'

/** What introspection gives; its tables need no change. */
async function found(database: TestDatabase, schemas?: readonly string[]): Promise<Introspection> {
  const result = await introspect(database.connection, database.dialect, { schemas })
  const { steps } = await planSync(createModel(result.objects), database.connection, database.dialect)
  expect(steps).toStrictEqual([])
  return result
}

/** For each object: its name, the column of its row id, and whether its records can be changed. */
function idsOf({ objects }: Introspection): Record<string, string> {
  return Object.fromEntries(
    objects.map(({ name, fields, readOnly }) => [
      name,
      `${fields.row_id?.column}${readOnly === true ? ', read only' : ''}`,
    ]),
  )
}

const tables = `
  create table film (film_id int primary key, title varchar(50) not null, rating int);
  create table actor (actor_id int primary key, name varchar(50) not null);
  insert into film values (1, 'A', 7), (2, 'B', 7), (3, 'C', null);
  insert into actor values (1, 'X'), (2, 'Y');
  create view good_film as select title, film_id as nr from film where rating > 5;
  create view pair as select f.film_id, a.actor_id, f.title from film f cross join actor a;
  create view rated as select rating, count(*) as films from film where rating is not null group by rating;
  create view none_yet as select rating, title from film where rating > 100;
  create table log (at varchar(20), text varchar(50));
  insert into log values ('noon', 'a'), ('noon', 'b'), ('dusk', 'a');
  create table setting (code varchar(20) not null unique, value varchar(50));
`

onSqlite((database) => {
  it('introspect() finds what identifies rows of views and of tables without a key', async () => {
    await database.script(tables)
    const result = await found(database)
    expect(idsOf(result)).toStrictEqual({
      Actor: 'actor_id',
      Film: 'film_id',
      GoodFilm: 'nr, read only',
      Log: 'rowid',
      Rated: 'rating, read only',
      Setting: 'rowid',
    })
    expect(result.skipped).toStrictEqual([
      { table: 'none_yet', reason: 'no column identifies its rows, and there are no rows to find one by' },
      { table: 'pair', reason: 'no column identifies its rows' },
    ])
    expect(result.notes?.map(({ table }) => table)).toStrictEqual(['good_film', 'rated'])
  })
})

onPostgresql((database) => {
  it('introspect() finds what identifies rows of views and of tables without a key', async () => {
    await database.script(`${tables}
      create materialized view counted as select title, count(*) as films from film group by title;
      create unique index on counted (title);
      create view called as select title as film_id, film_id as nr, upper(title) as loud from film`)
    const result = await found(database)
    expect(idsOf(result)).toStrictEqual({
      Actor: 'actor_id',
      Called: 'nr',
      Counted: 'title, read only',
      Film: 'film_id',
      GoodFilm: 'nr',
      Rated: 'rating, read only',
      Setting: 'code',
    })
    expect(result.objects.find(({ name }) => name === 'Called')?.fields.loud).toMatchObject({ readOnly: true })
    expect(result.skipped).toStrictEqual([
      { table: 'log', reason: 'it has no primary key' },
      { table: 'none_yet', reason: 'no column identifies its rows, and there are no rows to find one by' },
      { table: 'pair', reason: 'no column identifies its rows' },
    ])
    expect(result.notes?.map(({ table }) => table)).toStrictEqual(['rated'])
  })
})

onPostgresql((database) => {
  it('introspect() reads several schemas and qualifies names that clash', async () => {
    await database.script(`
      create schema sales; create schema hr;
      create table item (id int primary key, name text not null);
      create table sales.item (id int primary key, name text not null, parent int references sales.item);
      create table sales.orders (id int primary key, item_id int references item, hr_item int references sales.item);
      create table hr.staff (id int primary key, name text, order_id int references sales.orders);
      create table hr.knex_migrations (id int primary key, name text);
      comment on table hr.staff is 'Employees'; comment on column hr.staff.name is 'First and last name, as in the passport.'`)
    const { objects, skipped } = await found(database, ['sales', 'public', 'hr'])
    expect(objects.map(({ name, table, label }) => [name, table, label])).toStrictEqual([
      ['Item', 'item', undefined],
      ['SalesItem', 'sales.item', undefined],
      ['Orders', 'sales.orders', undefined],
      ['Staff', 'hr.staff', 'Employees'],
    ])
    expect(objects[2]?.fields).toMatchObject({
      item_id: { type: 'reference', object: 'Item' },
      hr_item: { type: 'reference', object: 'SalesItem' },
    })
    expect(objects[3]?.fields).toMatchObject({
      name: { type: 'text', help: 'First and last name, as in the passport.' },
      order_id: { type: 'reference', object: 'Orders' },
    })
    expect(skipped).toStrictEqual([])
    const one = await found(database, ['hr'])
    expect(one.objects.map(({ name }) => name)).toStrictEqual(['Staff'])
    expect(one.skipped).toStrictEqual([
      { table: 'public.*', reason: 'only the schema "hr" is served, and this one has a table' },
      { table: 'sales.*', reason: 'only the schema "hr" is served, and this one has 2 tables' },
    ])
    await expect(found(database, ['no such'])).rejects.toMatchObject({
      code: 'schema',
      message: expect.stringContaining('There are: hr, public, sales') as string,
    })
  })
})

onMysql((database) => {
  it('introspect() finds what identifies rows of views and of tables without a key', async () => {
    await database.script(`${tables}
      create view called as select title as film_id, film_id as nr, upper(title) as loud from film;
      create table said (id int primary key comment 'Number', name varchar(50) comment 'First and last name, as said.') comment 'People'`)
    const result = await found(database)
    expect(idsOf(result)).toStrictEqual({
      Actor: 'actor_id',
      Called: 'nr',
      Film: 'film_id',
      GoodFilm: 'nr',
      Rated: 'rating, read only',
      Said: 'id',
      Setting: 'code',
    })
    expect(result.objects.find(({ name }) => name === 'Called')?.fields.loud).toMatchObject({ readOnly: true })
    expect(result.objects.find(({ name }) => name === 'Said')).toMatchObject({
      label: 'People',
      fields: { name: { help: 'First and last name, as said.' } },
    })
    expect(result.skipped).toStrictEqual([
      { table: 'log', reason: 'it has no primary key' },
      { table: 'none_yet', reason: 'no column identifies its rows, and there are no rows to find one by' },
      { table: 'pair', reason: 'no column identifies its rows' },
    ])
  })
})
