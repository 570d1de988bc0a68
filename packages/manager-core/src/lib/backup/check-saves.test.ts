import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OperationEvent } from '../domain/caller.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeBackupOfNothing } from '../testing/made-up-backup.js'
import { testInstance } from '../testing/made-up-operation.js'
import { writeHook } from '../testing/write-hook.js'
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
      config: ['export APPS_SAVE_MAXAGE=26', 'export APPS_DATABASES=sqlite', 'export APPS_EMAIL=operator@example.com'],
    })
    writeHook(test.home, 'monitoring', `echo "$1 $2" >> ${test.folder}/alarms`)
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
  beforeEach(() => {
    for (const path of [save, join(test.folder, 'alarms')]) rmSync(path, { recursive: true, force: true })
  })
  afterAll(() => test.close())

  const check = async () => {
    const { list, exitCode, message } = await test.perform('checksaves')
    const problems = (list as { name: string; problem: string }[]).map(({ name, problem }) => [name, problem])
    return { problems: Object.fromEntries(problems) as Record<string, string>, exitCode, message }
  }

  it('accepts a good recent backup, whatever wrote it, and with what is new', async () => {
    writeBackupOfNothing(save, 'demo', hoursAgo(25))
    expect(await check()).toEqual({
      problems: { demo: '', fresh: '' },
      exitCode: undefined,
      message: '1 of 2 instances in nightly backups have a good backup; 1 new without one yet.',
    })
    expect((await test.perform('list', { filter: 'demo' })).list).toMatchObject([
      { last_backup: hoursAgo(25).toISOString() },
    ])
    // The clock was set back, so far that its age is unknown.
    rmSync(save, { recursive: true })
    writeBackupOfNothing(save, 'demo', hoursAgo(-100))
    expect((await check()).problems.demo).toBe(
      '1 good backup of a date in the future does not count: a clock was wrong.',
    )
    expect((await test.perform('list', { filter: 'demo' })).list).toMatchObject([{ last_backup: '' }])
    writeBackupOfNothing(save, 'demo', hoursAgo(-3))
    expect((await check()).problems).toMatchObject({ demo: '' })
  })

  it('misses one that was never made, is too old, or is damaged', async () => {
    expect(await check()).toMatchObject({ problems: { demo: 'It has no good backup.' }, exitCode: 1 })
    await test.perform('checksaves', {}, { dryRun: true })
    expect(readFileSync(join(test.folder, 'alarms'), 'utf8')).toBe('demo save-missing\n')
    writeBackupOfNothing(save, 'demo', hoursAgo(27))
    expect((await check()).problems.demo).toBe(
      'Its last good backup is of 2026-11-20T05:00:00.000Z, which is older than 26 hours.',
    )
    const young = writeBackupOfNothing(save, 'demo', hoursAgo(2))
    expect((await check()).problems.demo).toBe('')
    await changeStatus(young, () => ({ verified: { at: now.toISOString(), damage: 'It is damaged.' } }))
    expect((await check()).problems.demo).toContain('which is older than 26 hours. 1 newer is damaged.')
    truncateSync(join(writeBackupOfNothing(save, 'demo', hoursAgo(1)), 'manifest.json'), 50)
    expect((await check()).problems.demo).toContain('2 newer are damaged.')
    const { list } = await test.perform('doctor', { category: 'backups' })
    expect(list?.filter((row) => (row as { level: string }).level !== 'ok')).toMatchObject([
      { level: 'error', message: expect.stringContaining('"demo": Its last good backup'), fixable: false },
      { level: 'warning', message: expect.stringContaining('saveall is not scheduled') },
      { level: 'warning', message: 'It is damaged.' },
      { level: 'warning', message: expect.stringContaining('manifest.json') },
    ])
  })
  it('misses copies at targets that are set, knows those whose local backup is gone, and mails once', async () => {
    const { received, port } = await mailServer(plain)
    const config = join(test.home, 'config.sh')
    const before = readFileSync(config, 'utf8')
    const stores = ['NAS', 'SAFE'].map((name) => `APPS_TARGET_${name}_TYPE=local APPS_TARGET_${name}_PATH=/nowhere`)
    const lines = ['APPS_MAILSERVER=127.0.0.1', `APPS_MAILPORT=${port}`, 'APPS_TARGETS=nas,safe', ...stores]
    appendFileSync(config, `${lines.join('\n')}\n`)
    const checkAgain = async () => {
      const { list } = await test.another().perform('checksaves', {}, { ...test.caller, surface: 'schedule' })
      return (list as { problem: string }[])[0]?.problem
    }
    const copied = { at: now.toISOString() }
    const old = writeBackupOfNothing(save, 'demo', hoursAgo(30))
    const young = writeBackupOfNothing(save, 'demo', hoursAgo(4))
    await changeStatus(old, () => ({ copies: { nas: copied, safe: copied } }))
    await changeStatus(young, () => ({ copies: { nas: copied, safe: { ...copied, damage: 'It is damaged.' } } }))
    expect(await checkAgain()).toBe('No good backup of the last 26 hours is at "safe".')
    expect(received.map(({ text }) => /^Subject: .*/m.exec(text)?.[0])).toEqual([
      'Subject: [localhost:8000] no good backup of demo',
    ])
    await changeStatus(young, () => ({ copies: { nas: copied, safe: copied } }))
    rmSync(young, { recursive: true })
    expect(await checkAgain()).toBe('')
    expect(received).toHaveLength(1)

    // It is the last backup, wherever it is, and an older one is not taken without a word.
    const id = basename(young)
    const listed = await test.perform('list', { filter: 'demo' })
    expect(listed.list).toMatchObject([{ name: 'demo', last_backup: hoursAgo(4).toISOString() }])
    const told: string[] = []
    const onEvent = (event: OperationEvent) => void (event.type === 'warning' && told.push(event.text))
    await test.perform('restore', { name: 'demo' }, { dryRun: true, onEvent }).catch(() => undefined)
    expect(told).toEqual([
      `A newer backup, ${id}, is at "nas" only; this is about demo/${basename(old)}. To restore the newer one: ` +
        `manager restore demo --from nas:${id}`,
    ])
    rmSync(old, { recursive: true })
    await expect(test.perform('restore', { name: 'demo' })).rejects.toMatchObject({
      message: `No backup of "demo" is here; the latest, ${id}, is at "nas".`,
      command: `restore demo --from nas:${id}`,
    })
    await expect(test.perform('download', { name: 'demo', backup: 'latest' })).rejects.toMatchObject({
      command: `backups fetch demo --from nas:${id}`,
    })
    expect(test.context.registry.history().at(-1)).toMatchObject({ action: 'checksaves', result: 'ok' })
    writeFileSync(config, before)
  })
})
