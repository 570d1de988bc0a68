import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { makeFolder, runHere } from './running-app-for-test.js'

const removals: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

const tables = `
  create table customers (id integer primary key, code varchar(5) not null unique, name varchar(40) not null, photo blob, rank int default 5);
  create table orders (id integer primary key, customer_id int references customers, state varchar(10));
  create table "user" (id integer primary key, n text);
  create view totals as select customer_id, count(*) as orders from orders group by customer_id;
  insert into customers (code, name) values ('A', 'Ann');
  insert into orders (customer_id) values (1);
  create view broken as select * from nowhere`

/** An application without objects on another owner's database. */
async function makeApplication() {
  const { folder, remove } = await makeFolder({
    'app.yaml': 'name: app\ntitle: App\nversion: 1.0.0\ndatabase: sqlite:shop.db\n',
  })
  removals.push(remove)
  const database = new Database(join(folder, 'shop.db'))
  database.exec(tables)
  const change = (sql: string): void => void database.exec(sql)
  removals.unshift(async () => database.close())
  return { folder, url: `sqlite:${join(folder, 'shop.db')}`, change }
}

test('--describe writes a file per object, which --diff finds to fit', async () => {
  const { folder, url, change } = await makeApplication()
  const objects = join(folder, 'objects')
  const written = await runHere(['--describe', url, '--output', objects])
  expect(written).toMatchObject({ code: 0, errors: '' })
  expect(written.output).toContain('Table broken is left out: reading it fails: no such table: main.nowhere')
  expect((await readdir(objects)).toSorted()).toEqual(['customers.yaml', 'db-user.yaml', 'orders.yaml', 'totals.yaml'])
  expect(await readFile(join(objects, 'customers.yaml'), 'utf8')).toBe(`name: Customers
table: customers
timestamps: false
fields:
  row_id: { type: id, column: id }
  code: { type: string, length: 5, key: true }
  name: { type: string, length: 40, required: true, allowEmpty: true }
  photo: { type: document, storage: column }
  rank: { type: integer, precision: 19, default: 5 }
`)
  expect(await readFile(join(objects, 'totals.yaml'), 'utf8')).toMatch(
    /^# No key is declared; rows are known by "customer_id"/,
  )

  expect(await runHere([folder, '--diff'])).toEqual({
    code: 0,
    output: 'The definitions fit the database.\n',
    errors: '',
  })
  const again = await runHere(['--describe', url, '--output', objects])
  expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('is there already, and is not overwritten') })

  // A start makes the tables of the system, and changes nothing else.
  const synced = await runHere([folder, '--sync'])
  expect(synced.output?.split('\n').filter((line) => !line.includes('sys_'))).toEqual([
    'The database fits the application.',
    '',
  ])
  expect((await runHere([folder, '--diff'])).code).toBe(0)

  change(`drop view broken; drop view totals;
    alter table customers add email text;
    alter table orders drop column state;
    create unique index orders_customer on orders (customer_id);
    create table fresh (id integer primary key, a int)`)
  expect(await runHere([folder, '--diff'])).toEqual({
    code: 1,
    errors: '',
    output: `Table "customers": column "email" (text) has no field.
Field Orders.customer_id: no two rows have the same value, and the field is not unique.
Field Orders.state: table "orders" has no column "state".
Object Totals: there is no table "totals".
Table "fresh" has no object.
`,
  })
})

test.each(['yaml', 'ts'])('--describe prints all definitions as %s, which one file can hold', async (format) => {
  const { folder, url, change } = await makeApplication()
  change(`create table "it's" (id integer primary key, "a\\b" varchar(7) default 'it''s', "x
y" geometry)`)
  const { output = '' } = await runHere(['--describe', url, '--format', format])
  const mark = format === 'ts' ? '//' : '#'
  expect(output.split('\n')[0]).toBe(`${mark} Table broken is left out: reading it fails: no such table: main.nowhere`)
  await mkdir(join(folder, 'objects'))
  await writeFile(join(folder, 'objects', `all.${format}`), output)
  expect(await runHere([folder, '--diff'])).toMatchObject({ code: 0, errors: '' })
})

test('--diff reports changed types and rules, and not the rules that definitions add', async () => {
  const { folder } = await makeApplication()
  await mkdir(join(folder, 'objects'))
  await writeFile(
    join(folder, 'objects', 'all.yaml'),
    `name: Customer
table: customers
timestamps: false
fields:
  row_id: { type: id, column: id }
  cus_code: { type: string, length: 50, key: true, column: code }
  cus_name: { type: email, length: 40, column: name }
  cus_rank: { type: boolean, column: rank, required: true }
---
name: Order
table: orders
timestamps: false
fields:
  row_id: { type: id, column: id }
  ord_customer_id: { type: integer, column: customer_id, precision: 18 }
  ord_state: { type: enum, values: [open, closed], column: state, required: true }
---
name: User2
table: user
timestamps: false
fields:
  row_id: { type: id, column: id }
  usr_n: { type: text, column: n, help: as it is }
`,
  )
  expect((await runHere([folder, '--diff'])).output)
    .toBe(`Field Customer.cus_code: the column is string(5), the field string(50).
Field Customer.cus_name: the column takes no empty values, and the field is not required.
Table "customers": column "photo" (document) has no field.
Field Order.ord_customer_id: the column is a reference to Customers, the field integer(18).
Table "totals" has no object.
`)
})

test('--diff and --describe say what keeps them from looking, without passwords', async () => {
  const { folder } = await makeApplication()
  const url = 'postgres://someone:s3cret@127.0.0.1:1/x'
  const described = await runHere(['--describe', url])
  expect(described).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('cannot be reached') })
  await mkdir(join(folder, 'objects'))
  await writeFile(join(folder, 'objects', 'a.yaml'), 'name: A\nfields: { b: { type: text } }\n')
  const compared = await runHere([folder, '--diff', '--database', url])
  expect(compared).toMatchObject({ code: 2, output: '' })
  expect(described.errors + String(compared.errors)).not.toContain('s3cret')
  expect(await runHere(['--diff', '--database', url])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('--diff requires the folder of an application'),
  })
  expect(await runHere(['--describe', 'sqlite:none.db', '--format', 'xml'])).toMatchObject({ code: 2 })
  expect(await runHere(['--describe'])).toMatchObject({ code: 1 })
  expect(await runHere([folder, '--schema', 'sales'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('--schema belongs to --describe'),
  })
  expect(await runHere(['--describe', `sqlite:${join(folder, 'shop.db')}`, '--schema', 'sales'])).toMatchObject({
    code: 1,
    errors: 'app-server: There is no schema "sales". This database has no schemas.\n',
  })
})
