import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeBackupOfNothing } from '../testing/made-up-backup.js'
import { changeStatus, statusFile } from './status.js'

describe('backups prune', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  let test: TestManager
  let save: string
  beforeAll(async () => {
    const store = ['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', 'APPS_TARGET_NAS_PATH=$APPS_HOME/nas']
    const config = ['export APPS_SAVE_DIR_DEPTH=3', 'export APPS_KEEP_MONTHLY=2', ...store]
    test = await createTestManager({ refresh: false, config, clock: () => now })
    save = join(test.home, 'save')
  })
  afterAll(() => test.close())

  const write = (name: string, day: string) => writeBackupOfNothing(save, name, new Date(`${day}T12:00:00Z`))
  const results = async (input: Record<string, string> = {}, dryRun = false) =>
    ((await test.perform('backups prune', input, { dryRun })).list as Record<string, string>[]).map(
      ({ name, backup, result, reason }) => `${name} ${backup?.slice(4, 8)} ${result}: ${reason}`,
    )

  it('says for each whether it is kept and why, and removes it with its records', async () => {
    write('demo', '2026-11-20')
    write('demo', '2026-11-18')
    const old = write('demo', '2026-11-17')
    write('demo', '2026-10-31')
    const proved = write('demo', '2026-09-02')
    write('demo', '2026-09-01')
    await changeStatus(proved, () => ({ proved: { at: now.toISOString(), seconds: 1 } }))
    await changeStatus(old, () => ({ verified: { at: now.toISOString() } }))
    write('gone', '2026-01-01')
    const cut = write('demo', '2026-08-01')
    truncateSync(join(cut, 'manifest.json'), 100)

    const reasons = (removed: string) => [
      'demo 1120 kept: younger than 3 days',
      'demo 1118 kept: younger than 3 days',
      `demo 1117 ${removed}: no rule keeps it`,
      'demo 1031 kept: the last of 2026-10',
      'demo 0902 kept: the latest with a test restore',
      `demo 0901 ${removed}: no rule keeps it`,
    ]
    const before = readdirSync(join(save, 'demo')).length
    expect(await results({}, true)).toEqual([...reasons('would be removed'), 'gone 0101 kept: the latest good backup'])
    expect(readdirSync(join(save, 'demo'))).toHaveLength(before)
    expect(await results({ name: 'DEMO' })).toEqual(reasons('removed'))
    expect(existsSync(old)).toBe(false)
    expect(existsSync(statusFile(old))).toBe(false)
    // It is unknown what it is.
    expect(existsSync(cut)).toBe(true)
    expect(test.context.registry.history().at(-1)).toMatchObject({
      action: 'backups prune',
      result: 'ok',
      message: '2 removed, 4 kept.',
    })
  })

  it('leaves alone what is still to be copied to a target that is set', async () => {
    write('wanted', '2026-06-01')
    write('wanted', '2026-05-01')
    const status = { wanted: { automatic: true, targets: ['gone', 'nas'] } }
    await changeStatus(write('wanted', '2026-03-01'), () => status)
    await changeStatus(write('wanted', '2026-02-01'), () => ({ ...status, copies: { nas: { at: now.toISOString() } } }))
    expect(await results({ name: 'wanted' })).toEqual([
      'wanted 0601 kept: the latest good backup',
      'wanted 0501 kept: the last of 2026-05',
      'wanted 0301 kept: it is not at "nas" yet',
      'wanted 0201 removed: no rule keeps it',
    ])
  })

  it('keeps the last good one when a newer one has another size, or other bytes than were saved', async () => {
    const bytes = { 'files.tar.zst': Buffer.alloc(876, 1) }
    const made = (day: string) => writeBackupOfNothing(save, 'rot', new Date(`${day}T12:00:00Z`), bytes)
    const [cut, flipped] = ['2026-09-04', '2026-09-03'].map(made) as [string, string]
    const reasons = (removed: string) => [
      'rot 0904 kept: it is damaged, but there is no newer good backup',
      'rot 0903 kept: it is damaged, but there is no newer good backup',
      'rot 0902 kept: the latest good backup',
      `rot 0901 ${removed}: no rule keeps it`,
    ]
    made('2026-09-02')
    made('2026-09-01')
    writeFileSync(join(cut, 'files.tar.zst'), Buffer.alloc(5000))
    writeFileSync(join(flipped, 'files.tar.zst'), Buffer.alloc(876, 2))
    // A dry run looks at sizes only.
    expect((await results({ name: 'rot' }, true))[0]).toBe(reasons('')[0])
    expect(await results({ name: 'rot' })).toEqual(reasons('removed'))
    const [, second] = (await test.perform('backups list', { name: 'rot' })).list as Record<string, string>[]
    expect(second?.['damage']).toContain('files.tar.zst')
  })

  it('leaves alone what an operation reads', async () => {
    const busy = write('busy', '2026-03-01')
    write('busy', '2026-06-01')
    write('busy', '2026-05-01')
    const at = now.toISOString()
    test.context.registry[sqlite]
      .prepare(
        `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
         values ('o', 'prove', 'x', 'busy', '', '', 'cli', ?, '{}', '[]', 'attention', '{}', '${at}')`,
      )
      .run(JSON.stringify({ backup: busy }))
    write('busy', '2026-02-01')
    expect(await results({ name: 'busy' })).toEqual([
      'busy 0601 kept: the latest good backup',
      'busy 0501 kept: the last of 2026-05',
      'busy 0301 kept: it is in use',
      'busy 0201 removed: no rule keeps it',
    ])
  })

  it('removes copies at a target by the rules that are not of days here', async () => {
    const nas = join(test.home, 'nas')
    const copyOf = (day: string) => writeBackupOfNothing(nas, 'away', new Date(`${day}T12:00:00Z`))
    const [, , old] = ['2026-11-21', '2026-10-02', '2026-10-01', '2026-08-01'].map(copyOf)
    const proved = copyOf('2026-07-01')
    writeFileSync(join(nas, 'notes.txt'), 'of others')
    rmSync(join(copyOf('2026-06-01'), 'manifest.json'))
    mkdirSync(join(save, 'away'), { recursive: true })
    await changeStatus(join(save, 'away', basename(proved)), () => ({ proved: { at: now.toISOString(), seconds: 1 } }))
    const reasons = (removed: string) => [
      'away 1121 kept: the latest good backup',
      'away 1002 kept: the last of 2026-10',
      `away 1001 ${removed}: no rule keeps it`,
      `away 0801 ${removed}: no rule keeps it`,
      'away 0701 kept: the latest with a test restore',
    ]
    expect(await results({ at: 'nas' }, true)).toEqual(reasons('would be removed'))
    const lock = test.context.locks.tryAcquire([`fetch:away/${basename(old as string)}`], 'test')
    const whileRead = [...reasons('removed')]
    whileRead[2] = 'away 1001 kept: it is in use'
    expect(await results({ at: 'nas', name: 'AWAY' })).toEqual(whileRead)
    lock?.release()
    await results({ at: 'nas' })
    expect(
      readdirSync(join(nas, 'away'))
        .map((id) => id.slice(4, 8))
        .toSorted(),
    ).toEqual(['0601', '0701', '1002', '1121'])
    await expect(test.perform('backups prune', { at: 'moon' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  it('says that a backup is of the future, keeps it, and lets it count for no rule', async () => {
    const future = write('clock', '2031-01-01')
    for (const day of ['2026-09-01', '2026-08-01', '2026-07-01']) write('clock', day)
    expect(await results({ name: 'clock' })).toEqual([
      'clock 0101 kept: its date is in the future',
      'clock 0901 kept: the latest good backup',
      'clock 0801 kept: the last of 2026-08',
      'clock 0701 removed: no rule keeps it',
    ])
    const { list = [] } = await test.perform('doctor', { category: 'backups' })
    expect(list).toContainEqual(
      expect.objectContaining({
        ...{ check: 'future-backups', level: 'warning' },
        message: `The backup clock/${basename(future)} has the date 2031-01-01T12:00:00.000Z, which is in the future: a clock was wrong.`,
      }),
    )
    rmSync(future, { recursive: true })
  })

  it('removes nothing without rules, and is asked for names that have no backups', async () => {
    writeFileSync(join(test.home, 'config.sh'), 'export APPS_SAVE_DIR_DEPTH=0 APPS_KEEP_MONTHLY=0\n', { flag: 'a' })
    const other = test.another()
    const { list } = await other.perform('backups prune', { name: 'demo' }, test.caller)
    expect(list).toHaveLength(4)
    expect(list).toMatchObject(Array.from({ length: 4 }, () => ({ result: 'kept', reason: 'no rule is set' })))
    for (const name of ['../../etc', 'nobody', 'ü'.repeat(300)])
      expect(await other.perform('backups prune', { name }, test.caller)).toMatchObject({ list: [] })
  })
})
