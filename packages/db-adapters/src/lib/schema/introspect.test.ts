import { createModel, type FieldDefinition, type Introspection } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { onEachDatabase, onMysql, onPostgresql, onSqlite, type TestDatabase } from '../../../test/schema-databases.js'
import { introspect } from './introspect.js'
import { applySync, planSync } from './sync.js'

/** What introspection gives. It is a valid model, and its tables need no change. */
async function found(database: TestDatabase): Promise<Introspection> {
  const result = await introspect(database.connection, database.dialect)
  const { steps, leftover } = await planSync(createModel(result.objects), database.connection, database.dialect)
  expect(steps).toStrictEqual([])
  expect(leftover).toStrictEqual([])
  return result
}

function fieldsOf({ objects }: Introspection, object: string): Readonly<Record<string, FieldDefinition>> {
  const definition = objects.find(({ name }) => name === object)
  if (!definition) throw new Error(`There is no object "${object}", but ${objects.map(({ name }) => name).join(', ')}.`)
  return definition.fields
}

const int4 = { type: 'integer', precision: 10, min: -2147483648, max: 2147483647 } as const

onSqlite((database) => {
  it('describes tables that others have made', async () => {
    await database.script(`
      create table "Order Details" (
        OrderID integer not null references orders (id), "ProductID" integer not null references products,
        "UnitPrice" numeric not null default 0, Quantity smallint, primary key (OrderID, ProductID));
      create table orders (
        id integer primary key, "OrderDate" datetime, "ShippedDate" timestamp, Freight real, seen boolean,
        "customer" text references customers (code) on delete set null, "épochs" datetime, mixed int,
        rank "", created_dt datetime, "row_id" int, note json);
      create table products (
        ProductID integer primary key, ProductName nvarchar(40) not null, discontinued boolean not null, photo blob,
        big decimal(30,4), twice generated always as (big * 2) stored);
      create table customers (code text primary key not null, name text not null, active tinyint(1) default 1);
      create unique index customers_name on customers (name);
      create table composite (a int, b int, primary key (a, b)) without rowid;
      create table "knex_migrations" (id integer primary key, name text);
      create view v as select * from missing;
      create virtual table words using fts5(x);
      create table lonely (id integer primary key);
      create table plain (a, b text, rowid int, "and" int, "Like" text)`)
    await database.script(
      `insert into orders (id, "OrderDate", "ShippedDate", "épochs", seen, mixed) values (1, '2016-07-04', '2016-07-04T12:00', 1700000000, 'yes', 'abc')`,
    )
    const result = await found(database)

    expect(result.objects.map(({ name, table }) => [name, table])).toStrictEqual([
      ['OrderDetails', 'Order Details'],
      ['Composite', 'composite'],
      ['Customers', 'customers'],
      ['Lonely', 'lonely'],
      ['Orders', 'orders'],
      ['Plain', 'plain'],
      ['Products', 'products'],
    ])
    expect(fieldsOf(result, 'OrderDetails')).toStrictEqual({
      row_id: { type: 'id', fields: ['order_id', 'product_id'] },
      order_id: { type: 'reference', object: 'Orders', display: [], column: 'OrderID' },
      product_id: {
        type: 'reference',
        object: 'Products',
        display: ['product_name'],
        column: 'ProductID',
        index: false,
      },
      unit_price: { type: 'decimal', storage: 'double', extended: true, column: 'UnitPrice', default: 0 },
      quantity: { type: 'integer', precision: 19, column: 'Quantity' },
    })
    expect(fieldsOf(result, 'Composite')).toStrictEqual({
      row_id: { type: 'id', fields: ['a', 'b'] },
      a: { type: 'integer', precision: 19 },
      b: { type: 'integer', precision: 19 },
    })
    expect(fieldsOf(result, 'Orders')).toStrictEqual({
      row_id: { type: 'id', column: 'id' },
      order_date: { type: 'date', column: 'OrderDate' },
      shipped_date: { type: 'text', column: 'ShippedDate' },
      freight: { type: 'decimal', storage: 'double', extended: true, column: 'Freight' },
      seen: { type: 'text' },
      customer: { type: 'reference', object: 'Customers', display: ['name'], onDelete: 'setNull', index: false },
      epochs: { type: 'integer', precision: 19, column: 'épochs' },
      mixed: { type: 'text' },
      rank: { type: 'text' },
      created_dt_2: { type: 'datetime', column: 'created_dt' },
      row_id_2: { type: 'integer', precision: 19, column: 'row_id' },
      note: { type: 'object' },
    })
    expect(fieldsOf(result, 'Lonely')).toStrictEqual({
      row_id: { type: 'id', column: 'id' },
      id: { type: 'integer', precision: 19, readOnly: true },
    })
    expect(fieldsOf(result, 'Customers')).toStrictEqual({
      row_id: { type: 'id', column: 'code', values: 'string', readOnly: false, required: true },
      name: { type: 'string', length: 4000, key: true },
      active: { type: 'boolean', default: true },
    })
    expect(fieldsOf(result, 'Products')).toStrictEqual({
      row_id: { type: 'id', column: 'ProductID' },
      product_name: { type: 'string', length: 40, column: 'ProductName', required: true, allowEmpty: true },
      discontinued: { type: 'boolean', default: false },
      photo: { type: 'document', storage: 'column' },
      big: { type: 'decimal', precision: 15, scale: 4 },
      twice: { type: 'text', readOnly: true },
    })
    // Words of the filter language cannot be names of fields.
    expect(fieldsOf(result, 'Plain')).toMatchObject({ and_2: { column: 'and' }, like_2: { column: 'Like' } })
    expect(fieldsOf(result, 'Plain').row_id).toStrictEqual({ type: 'id', column: '_rowid_' })
    expect(result.skipped).toStrictEqual([
      { table: 'v', reason: 'reading it fails: no such table: main.missing' },
      { table: 'words', reason: 'it is a virtual table' },
    ])
  })
})

onPostgresql((database) => {
  it('describes tables that others have made', async () => {
    await database.script(`
      create type mood as enum ('sad', 'ok', 'happy');
      create domain email as text check (value like '%@%');
      create schema other; create table other.hidden (id int primary key, a int);
      create schema more; create table more.a (id int); create table more.b (id int); create schema empty;
      create table customer (
        id uuid primary key default gen_random_uuid(), name text not null unique, mood mood, mail email, tags text[],
        props jsonb, created timestamptz not null default now(), amount numeric, price money, "Weird.Name" int,
        up text generated always as (upper(name)) stored);
      create table country (code char(2) primary key, title varchar not null);
      create table "Customer Address" (
        id bigserial primary key, customer_id uuid not null references customer on delete cascade,
        country char(2) references country (code), street varchar(100), zip int2, nr int not null, lat double precision,
        ok boolean not null, photo bytea, "Foo" int, "foo" int, unique (nr, street), unique (zip));
      create table film_actor (film int, actor int, primary key (film, actor));
      create table nokey (a int);
      create table "a.b" (id int primary key, a int);
      create view v as select 1 as a;
      create materialized view mv as select 1 as a;
      create table measurement (id int not null, at date not null, primary key (id)) partition by range (id);
      create table measurement_1 partition of measurement for values from (0) to (10)`)
    const result = await found(database)

    expect(fieldsOf(result, 'Customer')).toStrictEqual({
      row_id: { type: 'id', column: 'id', values: 'uuid' },
      name: { type: 'string', length: 4000, key: true },
      mood: { type: 'enum', values: ['sad', 'ok', 'happy'] },
      mail: { type: 'text' },
      tags: { type: 'object', array: true },
      props: { type: 'object' },
      created: { type: 'datetime', precision: 6, extended: true },
      amount: { type: 'decimal', storage: 'unlimited', extended: true },
      price: { type: 'text' },
      weird_name: { type: 'integer', column: 'Weird.Name', precision: 10, min: -2_147_483_648, max: 2_147_483_647 },
      up: { type: 'text', readOnly: true },
    })
    expect(fieldsOf(result, 'CustomerAddress')).toStrictEqual({
      row_id: { type: 'id', column: 'id' },
      customer_id: {
        type: 'reference',
        object: 'Customer',
        display: ['name'],
        onDelete: 'cascade',
        required: true,
        index: false,
      },
      country: { type: 'reference', object: 'Country', display: ['title'], index: false },
      street: { type: 'string', length: 100 },
      zip: { type: 'integer', precision: 5, min: -32768, max: 32767, unique: true },
      nr: { ...int4, required: true, index: true },
      lat: { type: 'decimal', storage: 'double', extended: true },
      ok: { type: 'boolean', default: false },
      photo: { type: 'document', storage: 'column' },
      foo: { ...int4, column: 'Foo' },
    })
    expect(fieldsOf(result, 'Country').row_id).toStrictEqual({
      type: 'id',
      column: 'code',
      values: 'string',
      readOnly: false,
      required: true,
    })
    expect(fieldsOf(result, 'Measurement')).toStrictEqual({
      row_id: { type: 'id', column: 'id', readOnly: false, required: true },
      at: { type: 'date', extended: true, required: true },
    })
    expect(fieldsOf(result, 'FilmActor')).toStrictEqual({
      row_id: { type: 'id', fields: ['film', 'actor'] },
      film: int4,
      actor: int4,
    })
    expect(result.objects.map(({ name, readOnly }) => [name, readOnly ?? false])).toStrictEqual([
      ['CustomerAddress', false],
      ['Country', false],
      ['Customer', false],
      ['FilmActor', false],
      ['Measurement', false],
      ['Mv', true],
      ['V', true],
    ])
    expect(result.skipped).toStrictEqual([
      { table: 'Customer Address', column: 'foo', reason: 'its name differs from "Foo" by case only' },
      { table: 'a.b', reason: 'a dot in its name would separate a schema' },
      { table: 'nokey', reason: 'it has no primary key, and there are no rows to find one by' },
      { table: 'more.*', reason: 'only the schema "public" is served, and this one has 2 tables' },
      { table: 'other.*', reason: 'only the schema "public" is served, and this one has a table' },
    ])
  })
})

onMysql((database) => {
  it('describes tables that others have made', async () => {
    await database.script(`
      create table customer (
        id int unsigned not null auto_increment primary key, name varchar(100) not null unique,
        mood enum('sad','it''s','Happy','') default 'sad', flags set('a','b'), props json,
        created timestamp not null default current_timestamp on update current_timestamp, amount decimal(40,10), y year,
        b bit(1), bits bit(8), tiny tinyint, ub bigint unsigned, t tinytext, tx text, mt mediumtext, lt longtext, dbl double,
        up varchar(100) generated always as (upper(name)) virtual) charset latin1;
      create table country (code char(2) primary key, title varchar(50) not null);
      create table address (
        id bigint auto_increment primary key, customer_id int unsigned not null, country char(2), photo blob,
        ok tinyint(1) not null, foreign key (customer_id) references customer (id) on delete cascade,
        constraint c foreign key (country) references country (code) on delete set null);
      create table isam (id int primary key, c int, key (c)) engine = MyISAM;
      create view v as select 1 as a`)
    const result = await found(database)

    expect(fieldsOf(result, 'Customer')).toStrictEqual({
      row_id: { type: 'id', column: 'id' },
      name: { type: 'string', length: 100, key: true },
      mood: { type: 'enum', values: ['sad', "it's", 'Happy'], default: 'sad' },
      flags: { type: 'string', length: 7 },
      props: { type: 'object' },
      created: { type: 'datetime', extended: true },
      amount: { type: 'decimal', precision: 40, scale: 10 },
      y: { type: 'integer', precision: 4, min: 1901, max: 2155 },
      b: { type: 'boolean' },
      tiny: { type: 'integer', precision: 3, min: -128, max: 127 },
      ub: { type: 'integer', precision: 20 },
      t: { type: 'string', length: 255 },
      tx: { type: 'text', length: 65535 },
      mt: { type: 'text', length: 16777215 },
      lt: { type: 'text' },
      dbl: { type: 'decimal', storage: 'double' },
      up: { type: 'string', length: 100, readOnly: true },
    })
    expect(fieldsOf(result, 'Address')).toStrictEqual({
      row_id: { type: 'id', column: 'id' },
      customer_id: { type: 'reference', object: 'Customer', display: ['name'], onDelete: 'cascade', required: true },
      country: { type: 'reference', object: 'Country', display: ['title'], onDelete: 'setNull' },
      photo: { type: 'document', storage: 'column' },
      ok: { type: 'boolean', default: false },
    })
    expect(fieldsOf(result, 'Country').row_id).toStrictEqual({
      type: 'id',
      column: 'code',
      values: 'string',
      readOnly: false,
      required: true,
    })
    expect(fieldsOf(result, 'Isam')).toStrictEqual({
      row_id: { type: 'id', column: 'id', readOnly: false, required: true },
      c: { ...int4, index: true },
    })
    expect(result.skipped).toStrictEqual([
      { table: 'customer', column: 'bits', reason: 'no field has the type bit(8)' },
    ])
  })
})

onEachDatabase((database) => {
  it('an empty database has no objects', async () => {
    expect(await introspect(database.connection, database.dialect)).toStrictEqual({
      objects: [],
      notes: [],
      skipped: [],
    })
  })

  it('tables made by sync come back with their keys, references and technical fields', async () => {
    const model = createModel([
      {
        name: 'Genre',
        fields: {
          code: { type: 'string', length: 20, key: true },
          parent: { type: 'reference', object: 'Genre', key: true },
        },
      },
      {
        name: 'Movie',
        timestamps: false,
        fields: {
          title: { type: 'string', length: 100, unique: true },
          year: { type: 'integer', precision: 9, index: true },
          price: { type: 'decimal', precision: 12, scale: 3 },
          seen: { type: 'boolean' },
          note: { type: 'text' },
          genre: { type: 'reference', object: 'Genre', onDelete: 'cascade' },
        },
      },
    ])
    await applySync(model, database.connection, database.dialect)
    const result = await found(database)
    expect(result.skipped).toStrictEqual([])
    expect(result.objects.map(({ name, timestamps }) => [name, timestamps])).toStrictEqual([
      ['Genre', undefined],
      ['Movie', false],
    ])
    expect(fieldsOf(result, 'Genre')).toStrictEqual({
      row_id: { type: 'id', column: 'row_id' },
      code: { type: 'string', length: 20, key: true },
      parent: { type: 'reference', object: 'Genre', display: ['code'], key: true },
    })
    expect(fieldsOf(result, 'Movie')).toMatchObject({
      title: { type: 'string', length: 100, unique: true },
      year: { type: 'integer', index: true },
      price: { type: 'decimal', precision: 12, scale: 3 },
      seen: { type: 'boolean' },
      note: { type: 'text' },
      genre: { type: 'reference', object: 'Genre', display: ['code'], onDelete: 'cascade' },
    })
  })
})
