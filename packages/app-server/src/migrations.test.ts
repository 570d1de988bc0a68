import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterEach, describe, expect, test } from 'vitest'
import { freshDatabase, needs } from '../../../tests/servers/index.js'
import type { ApplicationCheck } from './lib/check-application.js'
import { openKnex } from './open-knex-for-test.js'
import { makeFolder, runHere } from './running-app-for-test.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

const first = {
  'app.yaml': 'name: shop\nversion: 1.0.0\n',
  'objects/person.yaml':
    'name: Person\ntimestamps: false\nfields:\n  code: { type: string, length: 9, key: true }\n  name: { type: string, length: 80 }\n',
}

/** Splits a name into two fields: the first migration keeps the values, the second one fills the new fields. */
const second = {
  'objects/person.yaml':
    'name: Person\ntimestamps: false\nfields:\n  code: { type: string, length: 9, key: true }\n  first: { type: string, length: 40 }\n  last: { type: string, length: 40 }\n',
  'migrations/20260101_keep.mjs': `export const when = 'before'
export async function up(knex) {
  if (!(await knex.schema.hasTable('person'))) return
  await knex.schema.createTable('old_person', (table) => {
    table.bigInteger('id')
    table.string('name')
  })
  await knex('old_person').insert(knex('person').select('row_id', 'name'))
}
export const down = (knex) => knex.schema.dropTable('old_person')
`,
  'migrations/20260102_split.ts': `interface Old { readonly id: number; readonly name: string }
export async function up(knex: any): Promise<void> {
  if (!(await knex.schema.hasTable('old_person'))) return
  for (const { id, name } of (await knex('old_person')) as Old[]) {
    const [first, last] = name.split(' ')
    await knex('person').where({ row_id: id }).update({ first, last })
  }
}
export async function down(knex: any): Promise<void> {
  await knex('person').update({ first: null, last: null })
}
`,
  'migrations/_shared.ts': 'export const nothing = 1\n',
}

const failing = {
  'migrations/20260103_fail.cjs': `exports.up = async (knex) => {
  await knex.schema.createTable('half', (table) => table.integer('a'))
  await knex('no_such_table').insert({ a: 1 })
}
exports.down = async () => {}
`,
}

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, remove } = await makeFolder(files)
  cleanUps.push(remove)
  return folder
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await cp(await folderOf(files), folder, { recursive: true })
}

function defineCases(place: () => Promise<(folder: string) => string>, isUndone: boolean): void {
  test('migrate up runs what is to run before and after the table changes, once', async () => {
    const folder = await folderOf(first)
    const url = (await place())(folder)
    const run = (...args: string[]) => runHere(args, { env: { STEWARD_DATABASE: url } })
    const rows = (table: string) => using(url, (knex) => knex(table).select<Record<string, unknown>[]>('*'))
    expect((await run(folder, '--sync')).code).toBe(0)
    await writeFile(join(folder, 'people.csv'), 'code,name\na,Ada Lovelace\nb,Alan Turing\n')
    const imported = await run(folder, '--import', join(folder, 'people.csv'), '--object', 'Person')
    expect(imported.errors).toBe('')

    await write(folder, second)
    const listed = await run('migrate', 'list', folder)
    expect(listed).toMatchObject({ code: 0, errors: '' })
    expect(listed.output).toBe(
      'pending  20260101_keep.mjs (before table changes)\npending  20260102_split.ts (after table changes)\n',
    )
    const planned = JSON.parse((await run(folder, '--plan')).output ?? '') as ApplicationCheck
    expect(planned.migrations).toEqual([
      { name: '20260101_keep.mjs', when: 'before' },
      { name: '20260102_split.ts', when: 'after' },
    ])
    expect((await run(folder, '--plan', '--sql')).output).toMatch(
      /^-- Migration 20260101_keep\.mjs runs before these changes/,
    )
    const up = await run('migrate', 'up', folder)
    expect(up).toMatchObject({ code: 0, errors: '' })
    expect(up.output).toMatch(/^migration: 20260101_keep\.mjs\n(table change: .*\n)+migration: 20260102_split\.ts\n$/)
    expect((await rows('person')).map(({ first, last }) => `${String(first)}/${String(last)}`)).toEqual([
      'Ada/Lovelace',
      'Alan/Turing',
    ])
    expect((await run('migrate', 'up', folder)).output).toBe('The database is up to date.\n')
    expect((await run('migrate', 'list', folder)).output).toBe(
      'done     20260101_keep.mjs\ndone     20260102_split.ts\n',
    )

    // One that fails leaves nothing, where DDL can be undone, and is tried again.
    await write(folder, failing)
    const failed = await run('migrate', 'up', folder)
    expect(failed.code).toBe(1)
    expect(failed.errors).toMatch(/^app-server: Cannot run migration "20260103_fail\.cjs": .*no_such_table/s)
    expect(failed.errors).toContain(isUndone ? 'Nothing of it was kept.' : 'What it changed before that was kept.')
    const half = await rows('half').catch(() => undefined)
    expect(half).toEqual(isUndone ? undefined : [])
    expect((await run('migrate', 'list', folder)).output).toContain('pending  20260103_fail.cjs')
    await rm(join(folder, 'migrations/20260103_fail.cjs'))

    // Undone in the other order.
    expect((await run('migrate', 'down', folder)).output).toBe('undone: 20260102_split.ts\n')
    expect((await run('migrate', 'rollback', folder)).output).toBe('undone: 20260101_keep.mjs\n')
    expect((await run('migrate', 'down', folder)).output).toBe('No migration has been run.\n')
  })
}

describe('sqlite', () => {
  defineCases(async () => (folder) => `sqlite:${join(folder, 'shop.db')}`, true)
})
needs('postgresql', (url) => {
  defineCases(() => fresh(url), true)
})
needs('mysql', (url) => {
  defineCases(() => fresh(url), false)
})

async function using<T>(url: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  const knex = openKnex(url)
  try {
    return await work(knex)
  } finally {
    await knex.destroy()
  }
}

async function fresh(url: string): Promise<() => string> {
  const database = await freshDatabase(url)
  cleanUps.push(() => database.drop())
  return () => database.url
}

describe('app-server migrate', () => {
  test('migrate make writes a file that migrate up runs, in the language of the application', async () => {
    const folder = await folderOf(first)
    const made = await runHere(['migrate', 'make', 'fill-names', folder])
    expect(made).toMatchObject({ code: 0, errors: '' })
    const [file = ''] = await readdir(join(folder, 'migrations'))
    expect(file).toMatch(/^\d{14}_fill-names\.js$/)
    expect(made.output).toBe(`Wrote ${join(folder, 'migrations', file)}\n`)
    await writeFile(join(folder, 'tsconfig.json'), '{}')
    await runHere(['migrate', 'make', 'later', folder, '--when', 'before'])
    const files = await readdir(join(folder, 'migrations'))
    expect(files[1]).toMatch(/_later\.ts$/)
    expect(await readFile(join(folder, 'migrations', files[1] ?? ''), 'utf8')).toContain("export const when = 'before'")
    expect((await runHere(['migrate', 'up', folder])).output).toContain(`migration: ${file}\n`)
    expect((await runHere(['migrate', 'make', '../up', folder])).errors).toContain('cannot be the name of a migration')
  })

  test('migrate list only reads: a database that does not exist is not made', async () => {
    const folder = await folderOf({ ...first, ...second })
    expect((await runHere(['migrate', 'list', folder])).output).toContain('pending  20260101_keep.mjs')
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('--describe, with another migration, reports another model: no copy may run beside one without it', async () => {
    const folder = await folderOf({ ...first, ...second })
    const model = async () =>
      (JSON.parse((await runHere([folder, '--describe'])).output ?? '') as { model: string }).model
    const before = await model()
    expect(await model()).toBe(before)
    await write(folder, { 'migrations/20260104_more.mjs': 'export async function up() {}\n' })
    expect(await model()).not.toBe(before)
  })

  test('--check reports each wrong file with its place', async () => {
    const folder = await folderOf({
      ...first,
      'migrations/1.mjs': 'export const up = 7\n',
      'migrations/2.mjs': 'export async function up() {}\nexport const when = "later"\n',
      'migrations/3.mjs': '\nthrow new Error("no paper")\n',
      'migrations/4.js': 'export async function up() {}\n',
      'migrations/4.ts': 'export async function up() {}\n',
    })
    const { code, output = '' } = await runHere([folder, '--check'])
    expect(code).toBe(1)
    expect((JSON.parse(output) as ApplicationCheck).problems).toEqual([
      'migrations/1.mjs: it exports no function "up"; write export async function up(knex) { … }',
      `migrations/2.mjs: "when" is "later"; write 'before' or 'after'.`,
      'migrations/3.mjs:2:7: no paper',
      'migrations/4.ts: 4.js is the same migration. Remove one of them.',
    ])
  })

  test('a recorded migration whose file is gone stops a start, and says what to do', async () => {
    const folder = await folderOf({ ...first, 'migrations/1_a.mjs': 'export async function up() {}\n' })
    expect((await runHere(['migrate', 'up', folder])).code).toBe(0)
    expect((await runHere(['migrate', 'down', folder])).errors).toContain('exports no function "down"')
    await rm(join(folder, 'migrations/1_a.mjs'))
    const { code, errors } = await runHere([folder, '--sync'])
    expect(code).toBe(1)
    expect(errors).toContain('migrations/1_a.mjs does not exist, but the database has run it')
    const planned = await runHere([folder, '--plan'])
    expect((JSON.parse(planned.output ?? '') as ApplicationCheck).problems).toEqual([
      expect.stringMatching(/^migrations\/1_a\.mjs does not exist/),
    ])
    expect(planned.code).toBe(1)
  })

  test('rows that a migration leaves without the row that they refer to make it fail', async () => {
    const folder = await folderOf({
      ...first,
      'objects/dog.yaml':
        'name: Dog\ntimestamps: false\nfields:\n  owner: { type: reference, object: Person, display: [name] }\n',
      'migrations/1_a.mjs': `export async function up(knex) {
  await knex('person').insert({ row_id: 1, name: 'Ada' })
  await knex('dog').insert({ owner: 1 })
}
`,
      'migrations/2_b.mjs': `export async function up(knex) {
  // Makes the table again, with all its rows.
  await knex.schema.alterTable('person', (table) => table.string('nick'))
  await knex.schema.alterTable('person', (table) => table.setNullable('name'))
}
`,
    })
    const database = `sqlite:${join(folder, 'shop.db')}`
    const run = (...args: string[]) => runHere(args, { env: { STEWARD_DATABASE: database } })
    expect((await run('migrate', 'up', folder)).output).toContain('migration: 2_b.mjs')
    await write(folder, { 'migrations/3_c.mjs': `export const up = (knex) => knex('person').delete()\n` })
    expect((await run('migrate', 'up', folder)).errors).toContain('Rows refer to rows that do not exist')
    expect(await using(database, (knex) => knex('person').pluck('name'))).toEqual(['Ada'])
    expect(await using(database, (knex) => knex('dog').pluck('owner'))).toEqual([1])
  })

  test.each([
    [['migrate', 'list', '/no/such/folder'], 1, 'has no app.yaml'],
    [['migrate', 'sideways'], 2, ''],
    [['migrate', 'make'], 2, ''],
    [['migrate', 'make', 'x', '.', '--when', 'later'], 2, ''],
  ] as const)('%j ends with %i', async (args, code, errors) => {
    const run = await runHere(args)
    expect(run.code).toBe(code)
    expect(run.errors).toContain(errors)
  })
})
