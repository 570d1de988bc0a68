import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeBackupOfNothing } from '../testing/made-up-backup.js'
import { testInstance } from '../testing/made-up-operation.js'
import { changeStatus } from './status.js'

const now = new Date('2026-11-21T08:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

describe('checksaves', () => {
  let test: TestManager
  let save: string
  beforeAll(async () => {
    test = await createTestManager({
      refresh: false,
      clock: () => now,
      config: ['export APPS_SAVE_MAXAGE=26', 'export APPS_DATABASES=sqlite'],
    })
    save = join(test.home, 'save')
    for (const [index, name] of ['demo', 'other', 'fresh'].entries())
      test.context.registry.transaction((writer) =>
        writer.insertInstance(
          testInstance({
            ...{ id: `i${name}`, name, port: 40_000 + index, autoSave: name !== 'other' },
            created: hoursAgo(name === 'fresh' ? 2 : 1000).toISOString(),
          }),
        ),
      )
  })
  beforeEach(() => rmSync(save, { recursive: true, force: true }))
  afterAll(() => test.close())

  const check = async () => {
    const { list, exitCode, message } = await test.perform('checksaves')
    const problems = (list as { name: string; problem: string }[]).map(({ name, problem }) => [name, problem])
    return { problems: Object.fromEntries(problems) as Record<string, string>, exitCode, message }
  }

  it('is content with a good backup that is young, whoever made it, and with what is new', async () => {
    writeBackupOfNothing(save, 'demo', hoursAgo(25))
    expect(await check()).toEqual({
      problems: { demo: '', fresh: '' },
      exitCode: undefined,
      message: 'All 2 that are saved automatically have a good backup.',
    })
    // The clock was set back.
    rmSync(save, { recursive: true })
    writeBackupOfNothing(save, 'demo', hoursAgo(-100))
    expect((await check()).problems).toMatchObject({ demo: '' })
  })

  it('misses one that was never made, is too old, or is damaged', async () => {
    expect(await check()).toMatchObject({ problems: { demo: 'It has no good backup.' }, exitCode: 1 })
    writeBackupOfNothing(save, 'demo', hoursAgo(27))
    expect((await check()).problems.demo).toBe(
      'Its last good backup is of 2026-11-20T05:00:00.000Z, which is more than 26 hours ago.',
    )
    const young = writeBackupOfNothing(save, 'demo', hoursAgo(2))
    expect((await check()).problems.demo).toBe('')
    await changeStatus(young, () => ({ verified: { at: now.toISOString(), damage: 'It is damaged.' } }))
    expect((await check()).problems.demo).toContain('more than 26 hours ago. 1 newer is damaged.')
    truncateSync(join(writeBackupOfNothing(save, 'demo', hoursAgo(1)), 'manifest.json'), 50)
    expect((await check()).problems.demo).toContain('2 newer are damaged.')
    const { list } = await test.perform('doctor', { category: 'backups' })
    expect(list).toMatchObject([
      { level: 'error', message: expect.stringContaining('"demo": Its last good backup'), fixable: false },
      { level: 'warning', message: 'It is damaged.' },
      { level: 'warning', message: expect.stringContaining('manifest.json') },
    ])
  })
})
