import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

describe('dbinfo', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
  })
  afterAll(() => test.close())

  it('returns where the database is, its size and tables and, on request, counts rows, while the instance runs', async () => {
    const { item, list } = await test.perform('dbinfo', { name: 'demo' })
    expect(item).toMatchObject({ type: 'sqlite', database: 'data/database.db', exists: true, tables: 1 })
    expect(list).toEqual([{ table: 'note' }])
    const counted = await test.perform('dbinfo', { name: 'demo', rows: true })
    expect(counted.list).toContainEqual({ table: 'note', rows: 1 })
    expect(counted.item).toMatchObject({ tables: 1, rows: 1, bytes: expect.any(Number) as number })
    expect(counted.message).toMatch(/^The database of "demo" holds 1 row in 1 table, \d+(\.\d)? kB\.$/)
  })

  it('shows no password', async () => {
    const { context, caller } = test
    const { databasePassword, password } = await context.settings.instance(test.path('demo'))
    const text = JSON.stringify(await test.manager.perform('dbinfo', { name: 'demo', rows: true }, caller))
    for (const secret of [databasePassword, password])
      if (secret.reveal() !== '') expect(text).not.toContain(secret.reveal())
  })

  it('says so when the database is gone', async () => {
    await test.perform('stop', { name: 'demo' })
    rmSync(test.path('demo', 'data', 'database.db'))
    const { item, message } = await test.perform('dbinfo', { name: 'demo', rows: true })
    expect(item).toMatchObject({ exists: false })
    expect(message).toBe('The database of "demo" is gone: data/database.db.')
  })
})
