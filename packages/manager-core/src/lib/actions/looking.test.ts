import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Input } from '../domain/input.js'
import type { Instance } from '../domain/instance.js'
import { filterBySql } from '../instances/query/filter-by-sql.js'
import type { WireInstance } from '../instances/wire-instance.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let manager: TestManager

const instance = (id: string, port: number, values: Partial<Instance> = {}): Instance => ({
  ...{ id, name: id, version: '1.0', versionDate: '2026-01-01T00:00:00.000Z', revision: 'r', desired: 'stopped' },
  ...{ observed: 'stopped', protected: false, autoUpdate: true, autoSave: false, database: 'sqlite', port },
  ...{ customUrl: '', source: 'template:1.0', ownerEmail: '', firstname: '', lastname: '', phone: '', company: '' },
  ...{ created: `2026-01-0${port % 10}T00:00:00.000Z`, updated: '2026-01-09T00:00:00.000Z', operation: '' },
  ...{ proved: '', installedVersion: '', heldRevision: '', runtime: 'process', host: '127.0.0.1' },
  ...values,
})

beforeAll(async () => {
  manager = await createTestManager({ refresh: false })
  manager.context.registry.transaction((writer) => {
    writer.insertInstance(instance('alpha', 1))
    writer.insertInstance(instance('beta', 2, { name: 'Beta', company: 'Alpha Ltd', protected: true }))
    writer.insertInstance(instance('gamma', 3, { version: '2.0', database: 'mysql', ownerEmail: 'g@example.org' }))
    // It should run, and does not.
    writer.insertInstance(instance('delta', 4, { desired: 'started', observed: 'started' }))
    const version = { title: '', revision: 'r', location: 'default', fetched: '2026-02-01T00:00:00.000Z' }
    writer.putVersion({ ...version, version: '1.0', date: '2026-02-01T00:00:00.000Z', folder: '1.0' })
    writer.putVersion({ ...version, version: '2.0', date: '2026-01-01T00:00:00.000Z', folder: '2.0' })
    const entry = { at: '2026-01-01T00:00:00.000Z', actor: 'ann', surface: 'cli', parameters: {}, operation: '' }
    for (const [instanceId, name] of [
      ['alpha', 'alpha'],
      ['gone', 'Gone'],
      ['alpha', 'alpha'],
    ] as const)
      writer.addHistory({
        ...entry,
        action: 'start',
        instanceId,
        instance: name,
        result: 'ok',
        message: '',
        duration: 1,
      })
  })
})

afterAll(() => manager.close())

async function names(input: Record<string, Input>): Promise<string[]> {
  const { list } = await manager.perform('list', input)
  return (list as readonly WireInstance[]).map(({ name }) => name)
}

describe('list', () => {
  test.each([
    [{}, ['alpha', 'Beta', 'delta', 'gamma']],
    [{ filter: '2.0' }, ['gamma']],
    [{ filter: 'ALPHA' }, ['alpha', 'Beta']],
    [{ filter: '*a' }, ['alpha', 'Beta', 'delta', 'gamma']],
    [{ filter: 'b*' }, ['Beta']],
    [{ filter: '.*' }, []],
    [{ filter: 'nothing' }, []],
    [{ version: '1.0', order: '-name' }, ['delta', 'Beta', 'alpha']],
    [{ database: 'mysql' }, ['gamma']],
    [{ order: '-version,-created' }, ['gamma', 'delta', 'Beta', 'alpha']],
    [{ filter: "SQL:i.protected = 'yes'" }, ['Beta']],
    [{ filter: 'sql: i.version_date < v.date' }, ['alpha', 'Beta', 'delta']],
    [{ where: "i.company like 'alpha%' or i.owner_email <> ''" }, ['Beta', 'gamma']],
    [{ where: "i.name = 'select; --'" }, []],
    [{ filter: "SQL:i.version = '1.0'", where: "i.url like '%:1'" }, ['alpha']],
    [{ where: 'r.id is null', version: '2.0' }, ['gamma']],
  ])('%j', async (input, expected) => {
    expect(await names(input)).toEqual(expected)
  })

  test('shows what is observed now, and filters by it, in SQL too', async () => {
    expect(await names({ status: 'started' })).toEqual([])
    expect(await names({ where: "i.status = 'started'" })).toEqual(['delta'])
    expect(await names({ where: "i.observed = 'started'" })).toEqual([])
    expect(await names({ where: "i.status = 'started' and i.observed = 'stopped'" })).toEqual(['delta'])
    const { item } = await manager.perform('get', { name: 'DELTA' })
    expect(item).toMatchObject({ name: 'delta', status: 'started', observed: 'stopped', protected: 'no' })
    // It has no folder: the rest is shown all the same.
    expect(item).toMatchObject({ neutralised: 'unknown' })
    expect(manager.instance('delta').observed).toBe('started')
  })

  test.each([
    ['1); drop table instance; --', 'unmatched brackets'],
    ['1; drop table instance', 'may not contain ";"'],
    ['1) union select * from (select facts from operation', 'unmatched brackets'],
    ['1 union all', 'may not contain "union"'],
    ['i.id in (select id from operation)', 'may not contain "select"'],
    [
      'exists (with recursive t(n) as (values (1) union all select n + 1 from t) select n from t)',
      'may not contain "with"',
    ],
    ["attach 'x.db' as x", 'may not contain "attach"'],
    ["load_extension('x')", 'may not contain "load_extension"'],
    ['1 /* hidden', 'may not contain "/* hidden"'],
    ['1 -- hidden', 'may not contain "-- hidden"'],
    ["i.name = 'x", "has a ' that does not end"],
    ['i.name = "x', 'has a " that does not end'],
    ['1) or (1', 'unmatched brackets'],
    ['((1)', 'unmatched brackets'],
    [' ', 'is empty'],
    ['i.secret = 1', 'no such column: i.secret'],
    ['operation.facts = 1', 'no such column: operation.facts'],
    ['i.name in operation', 'is invalid'],
    ['i.name in sqlite_master', 'is invalid'],
    ["i.name in pragma_table_list('instance')", 'is invalid'],
    ['i.name in json_each(1)', 'is invalid'],
    ['length(zeroblob(1000000000)) > 1', 'is invalid'],
    ['', 'is empty'],
  ])('refuses SQL %j', async (where, message) => {
    await expect(manager.perform('list', { filter: `SQL:${where}` })).rejects.toMatchObject({
      code: 'ERR_USAGE',
      message: expect.stringContaining(message) as string,
    })
    expect(manager.context.registry.count()).toBe(4)
  })

  test('conditions in SQL are for the command line', async () => {
    await expect(manager.perform('list', { filter: 'SQL:1' }, { surface: 'api' })).rejects.toThrow('command line only')
  })

  test('a condition that takes too long is ended', async () => {
    const where = `replace(replace(replace('${'a'.repeat(9_000)}', 'a', '${'b'.repeat(900)}'), 'b', 'cccccccc'), 'c', 'd') glob '${'*d'.repeat(40)}*x'`
    const file = manager.context.home.database
    await expect(filterBySql({ file, where, fresh: [], timeoutMs: 50 })).rejects.toThrow('longer than 0.05 s')
  })

  test('an order by what is not a column names what was meant', async () => {
    await expect(manager.perform('list', { order: '-create' })).rejects.toMatchObject({
      message: 'Unknown column "create" in order.',
      help: 'Did you mean "created"?',
    })
  })
})

describe('get', () => {
  test.each(['nothing', '..', 'x'.repeat(300), 'dé'])('%j is not found', async (name) => {
    await expect(manager.perform('get', { name })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })
})

describe('history', () => {
  test('is of all, of one, or of one that is gone', async () => {
    const of = async (input: Record<string, Input>) => (await manager.perform('history', input)).list
    expect(await of({})).toHaveLength(3)
    expect(await of({ limit: '1' })).toMatchObject([{ instance: 'alpha', instance_id: 'alpha' }])
    expect(await of({ name: 'ALPHA' })).toHaveLength(2)
    expect(await of({ name: 'gone' })).toMatchObject([{ actor: 'ann', action: 'start', instance: 'Gone' }])
    await expect(of({ name: 'never' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })
})
