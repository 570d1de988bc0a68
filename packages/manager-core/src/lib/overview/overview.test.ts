import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeStatus } from '../backup/status.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'

let test: TestManager

beforeAll(async () => {
  test = await createTestManager()
  await test.perform('add', { name: 'demo', auto_save: true })
  test.context.registry.transaction((writer) => writer.insertInstance(testInstance({ id: 'azero', name: 'zero' })))
})

afterAll(() => test.close())

describe('list', () => {
  it('shows health, uptime, restarts, memory and the last good backup, at the command line by default', async () => {
    await test.perform('save', { name: 'demo' })
    const { list } = await test.perform('list', {}, { surface: 'cli' })
    expect(list).toMatchObject([
      {
        ...{ name: 'demo', state: 'started', health: 'OK', restarts: 0, attention: '', update: '' },
        uptime_seconds: expect.any(Number) as number,
        memory_mb: expect.toSatisfy((value: number) => /^[1-9]\d*(?:\.\d)?$/.test(String(value))) as number,
        last_backup: expect.stringMatching(/^\d{4}-/) as string,
      },
      {
        name: 'zero',
        state: 'stopped',
        health: '',
        uptime_seconds: null,
        restarts: null,
        memory_mb: null,
        last_backup: '',
      },
    ])
    const fields = async (measure?: boolean) =>
      Object.keys((await test.perform('list', { measure }, { surface: 'api' })).list?.[0] as object)
    expect(await fields()).not.toContain('health')
    expect(await fields()).toContain('state')
    expect(await fields(true)).toContain('health')
  })

  it('leaves out a backup that is damaged, and says why one is not healthy', async () => {
    const [backup] = await test.context.backups.list()
    await changeStatus(backup!.folder, (status) => ({ ...status, verified: { at: '2026-01-01', damage: 'gone' } }))
    test.tell('demo', { health: 'KO' })
    expect((await test.perform('list', { filter: 'demo' })).list).toMatchObject([
      { last_backup: '', health: expect.stringMatching(/^(http|status)-/) as string },
    ])
    test.tell('demo', {})
  })

  it('reports a newer template, and what does not match the records', async () => {
    const [version] = test.context.registry.versions()
    test.context.registry.transaction((writer) => {
      writer.putVersion({ ...version!, date: '2999-01-01T00:00:00.000Z' })
      writer.updateInstance('azero', { desired: 'started' })
    })
    const { list } = await test.perform('list')
    expect(list).toMatchObject([
      { name: 'demo', update: 'available' },
      { name: 'zero', state: 'stopped, recorded as started' },
    ])
    test.context.registry.transaction((writer) => {
      writer.putVersion(version!)
      writer.updateInstance('azero', { desired: 'stopped' })
    })
  })

  it('says what needs attention, and the way out', async () => {
    const { id } = test.instance('demo')
    const { [sqlite]: database } = test.context.registry
    database
      .prepare(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, address, request, facts, locks, state, message, owner, started)
         values ('op1', 'none', ?, 'demo', 'Try', 'ann', 'cli', '', '{}', '{}', '[]', 'attention', 'It broke', '{"pid":1,"start":"1","boot":"x"}', ?)`,
      )
      .run(id, new Date().toISOString())
    database.prepare(`update instance set operation = 'op1' where id = ?`).run(id)
    const wayOut = expect.stringMatching(
      /"demo" needs attention: It broke\. .*manager doctor --fix.*manager giveup op1$/,
    ) as string
    const { list, warnings } = await test.perform('list', { filter: 'demo' })
    expect(list).toMatchObject([{ state: 'started, needs attention', attention: 'It broke', operation: 'op1' }])
    expect(warnings).toEqual([wayOut])
    // What was allowed meanwhile, a stop for example, leaves no operation in the record.
    database.exec(`update instance set operation = ''`)
    const after = await test.perform('list', { filter: 'demo' })
    expect(after).toMatchObject({ list: [{ attention: 'It broke', operation: 'op1' }], warnings: [wayOut] })
    const blocked = (await test.perform('doctor', { category: 'instances' })).list as readonly Record<string, string>[]
    expect(blocked.filter(({ check }) => check === 'instance-blocked')).toMatchObject([
      { level: 'error', help: expect.stringContaining('manager giveup op1') },
    ])
    expect((await test.perform('get', { name: 'demo' })).warnings).toEqual([wayOut])
    const one = await test.perform('status', { name: 'demo' })
    expect(one).toMatchObject({ warnings: [wayOut], item: { operations: [{ title: 'Try', state: 'attention' }] } })
    expect(await test.perform('status')).toMatchObject({ warnings: [wayOut], item: { needs_attention: ['demo'] } })
    database.exec(`delete from operation where id = 'op1'; update instance set operation = ''`)
  })
})

describe('status', () => {
  it('sums up one instance, with the size of its database and its last log lines', async () => {
    const { item, list } = await test.perform('status', { name: 'DEMO' })
    expect(item).toMatchObject({
      ...{
        name: 'demo',
        state: 'started',
        version: '1.0',
        database: 'sqlite',
        saved_automatically: 'yes',
        proved: 'never',
      },
      database_size: expect.any(Number) as number,
      operations: [],
    })
    expect(list?.join('\n')).toContain('fake application server')
  })

  it('reports a database that cannot be examined, and one that is stopped', async () => {
    expect((await test.perform('status', { name: 'zero' })).item).toMatchObject({
      ...{ state: 'stopped', health: '', last_backup: 'none', database_size: null },
      database: expect.stringMatching(/^sqlite: ./) as string,
    })
  })

  it('sums up the manager', async () => {
    const { item } = await test.perform('status')
    expect(item).toMatchObject({
      ...{ home: test.home, server: 'not running', instances: 2, states: { started: 1, stopped: 1 } },
      ...{
        needs_attention: [],
        updates_available: ['zero'],
        without_recent_backup: [],
        not_saved_automatically: ['zero'],
      },
    })
    const monitoring = test.context.locks.tryAcquire(['monitoring'], 'a server')
    expect((await test.perform('status')).item).toMatchObject({ server: 'running' })
    monitoring?.release()
  })
})
