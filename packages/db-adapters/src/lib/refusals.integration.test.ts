import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createModel, systemPrincipal, objectMetadata } from '@steward/rest-core'
import type { BusinessObjects, Model, ObjectStore } from '@steward/rest-core'
import { StoreError, type RestError } from '@steward/rest-core/errors'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onEachServer } from '../../test/server-stores.js'
import { createSqliteStore } from '../sqlite.js'

type Name = 'sqlite' | 'postgresql' | 'mysql' | 'mssql'

/** Tables that others made, with all that can refuse a value. */
const tables: Readonly<Record<Name, readonly string[]>> = {
  sqlite: [
    'create table owner (id uuid primary key not null, name text not null)',
    `create table part (
      code varchar(10) primary key not null, qty integer check (qty > 0), low int, high int, note varchar(300), mail varchar(50),
      owner uuid references owner, weight numeric not null,
      constraint low_before_high check (low <= high and 'qty' <> 'mail'), constraint mail_form check (mail like '%@%'))`,
    `create table pair (id integer primary key autoincrement, left_owner uuid references owner, right_owner uuid references owner,
      unique (left_owner, right_owner))`,
    'create table closed (id integer primary key autoincrement, name text)',
    `create trigger closed_today before insert on closed begin select raise(abort, 'not on Sundays'); end`,
  ],
  postgresql: [
    `create domain mail as varchar(50) constraint mail_form check (value like '%@%')`,
    'create table owner (id uuid primary key, name text not null)',
    `create table part (
      code varchar(10) primary key, qty smallint check (qty > 0), low int, high int, note varchar(300), mail mail,
      owner uuid references owner, weight numeric(5, 2) not null,
      constraint low_before_high check (low <= high))`,
    `create table pair (id bigserial primary key, left_owner uuid references owner, right_owner uuid references owner,
      unique (left_owner, right_owner))`,
    'create table closed (id bigserial primary key, name text)',
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not on Sundays'; end $$`,
    'create trigger closed_today before insert on closed for each row execute function refuse()',
  ],
  mysql: [
    'create table owner (id char(36) primary key, name text not null)',
    `create table part (
      code varchar(10) primary key, qty smallint check (qty > 0), low int, high int,
      note varchar(300) character set utf8mb3, mail varchar(50), owner char(36), weight decimal(5, 2) not null,
      constraint low_before_high check (low <= high), constraint mail_form check (mail like '%@%'),
      foreign key (owner) references owner (id))`,
    `create table pair (id bigint auto_increment primary key, left_owner char(36), right_owner char(36),
      unique both_owners (left_owner, right_owner),
      foreign key (left_owner) references owner (id), foreign key (right_owner) references owner (id))`,
    'create table closed (id bigint auto_increment primary key, name text)',
    `create trigger closed_today before insert on closed for each row signal sqlstate '45000' set message_text = 'not on Sundays'`,
  ],
  mssql: [
    'create table owner (id char(36) primary key, name nvarchar(max) not null)',
    `create table part (
      code varchar(10) primary key, qty smallint check (qty > 0), low int, high int, note nvarchar(300), mail varchar(50),
      owner char(36) references owner (id), weight decimal(5, 2) not null,
      constraint low_before_high check (low <= high), constraint mail_form check (mail like '%@%'))`,
    `create table pair (id bigint identity primary key, left_owner char(36) references owner (id),
      right_owner char(36) references owner (id), constraint both_owners unique (left_owner, right_owner))`,
    'create table closed (id bigint identity primary key, name nvarchar(max))',
    `create trigger closed_today on closed after insert as begin throw 50000, 'not on Sundays', 1 end`,
  ],
}

const [ada, bob] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
const me = systemPrincipal({ login: 'me' })
const good = { row_id: 'P-1', weight: 1 }

/** The same refusals on one database. */
function refusals(name: Name, run: (sql: string) => Promise<unknown>, open: () => ObjectStore): void {
  describe(`what ${name} refuses`, () => {
    let model: Model
    let service: BusinessObjects

    beforeAll(async () => {
      for (const sql of tables[name]) await run(sql)
      const store = open()
      model = createModel((await store.introspect()).objects)
      service = createBusinessObjects({ model, store })
      await service.create(me, 'Owner', { row_id: ada, name: 'Ada' })
    })

    async function refused(object: string, values: object): Promise<RestError> {
      const error = await service.create(me, object, values).then(
        () => expect.unreachable(`${object} took ${JSON.stringify(values)}`),
        (reason: unknown) => reason as RestError,
      )
      expect(error).toMatchObject({ name: 'RestError' })
      return error
    }

    it('an id that the database does not assign is required', async () => {
      expect(await refused('Part', { weight: 1 })).toMatchObject({
        status: 400,
        messages: [{ code: 'ERR_REQUIRED', field: 'row_id', text: 'Field "row_id" is required.' }],
      })
      const idOf = (object: string): unknown => objectMetadata(me, model.object(object), 'create').fields[0]
      expect(idOf('Part')).toMatchObject({ name: 'row_id', required: true, updatable: true })
      expect(idOf('Owner'), 'the store makes UUIDs').toMatchObject({ required: false, updatable: true })
      expect(idOf('Pair')).toMatchObject({ name: 'row_id', required: false, updatable: false })
    })

    it('a CHECK constraint is named with its fields', async () => {
      const error = await refused('Part', { ...good, qty: 0 })
      expect(error).toMatchObject({ status: 400, messages: [{ code: 'ERR_VALIDATION', field: 'qty' }] })
      expect(error.message).toContain('rule')
      expect(error.cause).toBeInstanceOf(StoreError)
      expect(await refused('Part', { ...good, low: 2, high: 1 })).toMatchObject({
        messages: [
          {
            code: 'ERR_VALIDATION',
            field: 'low',
            fields: ['low', 'high'],
            text: 'The record breaks the rule "low_before_high" of the database, which is about "low", "high".',
          },
        ],
      })
    })

    it('so is the rule of a domain', async () => {
      expect(await refused('Part', { ...good, mail: 'nope' })).toMatchObject({
        messages: [{ code: 'ERR_VALIDATION', field: 'mail', text: expect.stringContaining('"mail_form"') }],
      })
    })

    it('a reference that has the form of no id is one to a record that does not exist', async () => {
      expect(await refused('Part', { ...good, owner: 'nope' })).toMatchObject({
        status: 400,
        messages: [{ code: 'ERR_REFERENCE', field: 'owner', text: expect.stringContaining('"nope"') }],
      })
      expect(await refused('Part', { ...good, owner: bob })).toMatchObject({
        messages: [{ code: 'ERR_REFERENCE', field: 'owner' }],
      })
    })

    it('a filter by an id that no row can have finds nothing', async () => {
      expect(await service.count(me, 'Owner', { filters: { row_id: 'nope' } })).toMatchObject({ count: 0 })
      expect(await service.count(me, 'Owner', { filters: { row_id: '<> nope' } })).toMatchObject({ count: 1 })
      expect(await service.count(me, 'Owner', { filters: { row_id: `in ('nope', '${ada}')` } })).toMatchObject({
        count: 1,
      })
      expect(await service.count(me, 'Part', { filters: { owner: 'nope' } })).toMatchObject({ count: 0 })
      await expect(service.get(me, 'Owner', 'nope')).rejects.toMatchObject({ status: 404 })
      await expect(service.update(me, 'Owner', 'nope', { name: 'x' })).rejects.toMatchObject({ status: 404 })
      await expect(service.delete(me, 'Owner', 'nope')).rejects.toMatchObject({ status: 404 })
    })

    it('a key of several columns that the definition does not know is named', async () => {
      await service.create(me, 'Owner', { row_id: bob, name: 'Bob' })
      await service.create(me, 'Pair', { left_owner: ada, right_owner: bob })
      expect(await refused('Pair', { left_owner: ada, right_owner: bob })).toMatchObject({
        status: 409,
        messages: [
          {
            code: 'ERR_USERKEY',
            field: 'left_owner',
            fields: ['left_owner', 'right_owner'],
            text: `Another record already has left_owner "${ada}", right_owner "${bob}".`,
          },
        ],
      })
    })

    it('what a trigger refuses is not shown to the client, but is there for the log', async () => {
      const error = await refused('Closed', { name: 'x' })
      expect(error).toMatchObject({ status: 400, messages: [{ code: 'ERR_VALIDATION' }] })
      expect(error.message).not.toContain('Sundays')
      expect((error.cause as StoreError).message).toContain('not on Sundays')
    })

    // A definition by hand may promise more than its columns hold.
    it('a value beyond its column is reported as too long, or as out of range', async ({ skip }) => {
      if (name === 'sqlite') return skip('SQLite binds no declared length or size')
      const loose = createModel([
        {
          name: 'Part',
          table: 'part',
          timestamps: false,
          fields: {
            row_id: { type: 'id', values: 'string', column: 'code', readOnly: false },
            note: { type: 'string', length: 1000 },
            qty: { type: 'integer' },
            weight: { type: 'decimal', precision: 20 },
            owner: { type: 'string' },
          },
        },
      ])
      const direct = createBusinessObjects({ model: loose, store: open() })
      const refusal = async (values: object): Promise<unknown> =>
        direct.create(me, 'Part', { ...good, ...values }).then(
          () => expect.unreachable(`it took ${JSON.stringify(values)}`),
          (error: RestError) => error.messages,
        )
      expect(await refusal({ note: 'x'.repeat(301) })).toMatchObject([{ code: 'ERR_LENGTH', field: 'note' }])
      expect(await refusal({ qty: 70_000 })).toMatchObject([
        { code: 'ERR_TYPE', field: 'qty', text: 'Field "qty" is too large or too small for its column.' },
      ])
      expect(await refusal({ weight: 123_456 })).toMatchObject([
        { code: 'ERR_TYPE', text: expect.stringContaining('too large or too small') },
      ])
      expect(await refusal({ weight: null })).toMatchObject([{ code: 'ERR_REQUIRED', field: 'weight' }])
      if (name === 'mysql') {
        expect(await refusal({ note: '🎷' })).toMatchObject([
          { field: 'note', text: expect.stringContaining('character set') },
        ])
      } else {
        expect(await refusal({ owner: 'nope' })).toMatchObject([
          {
            code: 'ERR_TYPE',
            field: 'owner',
            text: 'Field "owner" has a value that its column does not take: "nope".',
          },
        ])
        await expect(direct.count(me, 'Part', { filters: { owner: 'nope' } })).rejects.toMatchObject({
          code: 'ERR_FILTER',
        })
      }
    })
  })
}

onEachServer((database) => {
  refusals(
    database.name,
    (sql) => database.admin.rows(sql),
    () => database.store(),
  )
})

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-refusals-'))
  const filename = join(folder, 'test.db')
  const store = createSqliteStore({ filename })
  afterAll(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  refusals(
    'sqlite',
    async (sql) => {
      const database = new Database(filename)
      database.exec(sql)
      database.close()
    },
    () => store,
  )
})
