import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { processesOf } from '../testing/end-processes.js'
import { tellFake } from '../testing/fake-application.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

describe('prove', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo' })
  })
  afterEach(() => {
    expect(readdirSync(join(test.home, 'instances'))).toEqual([test.instance('demo').id])
    expect(test.context.registry.instances().map(({ name }) => name)).toEqual(['demo'])
    expect(processesOf(test.folder)).toEqual([])
  })
  afterAll(() => test.close())

  it('restores, starts and removes a throw-away instance, and records when and how long', async () => {
    const before = await test.context.backups.find('demo', 'latest')
    const { item } = await test.perform('prove', { name: 'demo' })
    expect(item).toMatchObject({ backup: before.manifest.id, proved: expect.stringMatching(/^2/) })
    const { list } = await test.perform('list')
    expect(list).toMatchObject([{ name: 'demo', proved: (item as { proved: string }).proved }])
  })
})
