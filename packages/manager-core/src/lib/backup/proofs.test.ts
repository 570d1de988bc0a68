import { appendFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Diagnosis } from '../doctor/doctor.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeBackupOfNothing } from '../testing/made-up-backup.js'
import { testInstance } from '../testing/made-up-operation.js'
import { changeStatus } from './status.js'

const at = '2026-11-21T04:00:00.000Z'

let test: TestManager

const remember = (id: string, key: string) =>
  test.context.registry.transaction((writer) => writer.setProvedBackup(id, key))
let folder: string
beforeAll(async () => {
  test = await createTestManager({ refresh: false, config: ['APPS_DATABASES=sqlite'] })
  test.context.registry.transaction((writer) =>
    writer.insertInstance(testInstance({ id: 'idemo', name: 'demo', proved: at })),
  )
})
beforeEach(async () => {
  folder = writeBackupOfNothing(join(test.home, 'save'), 'demo', new Date('2026-11-21T03:00:00Z'), {
    'db.sqlite.zst': Buffer.from('a dump'),
  })
  await changeStatus(folder, () => ({ proved: { at, seconds: 1 } }))
  remember('idemo', `demo/${basename(folder)}`)
})
afterEach(() => rmSync(join(test.home, 'save'), { recursive: true, force: true }))
afterAll(() => test.close())

const proved = async () => {
  const [{ list }, { item }] = [await test.perform('list'), await test.perform('get', { name: 'demo' })]
  const [row] = list as readonly { proved: string }[]
  expect((item as { proved: string }).proved).toBe(row?.proved)
  const bySql = await test.perform('list', { where: "i.proved <> ''" })
  expect(bySql.list).toHaveLength(row?.proved === '' ? 0 : 1)
  return row?.proved
}

describe('an instance whose backup was proved', () => {
  it('is proved while that is there and good', async () => {
    expect(await proved()).toBe(at)
  })

  it('is proved by a row of before, which does not say by which backup', async () => {
    remember('idemo', '')
    expect(await proved()).toBe(at)
  })

  it.each([
    ['was removed', () => rmSync(folder, { recursive: true })],
    ['lost its manifest', () => rmSync(join(folder, 'manifest.json'))],
    ['has a changed manifest', () => appendFileSync(join(folder, 'manifest.json'), ' ')],
    ['has a file that was cut off', () => truncateSync(join(folder, 'db.sqlite.zst'), 3)],
    ['has lost a file', () => rmSync(join(folder, 'db.sqlite.zst'))],
    [
      'was found damaged',
      () => changeStatus(folder, (status) => ({ ...status, verified: { at, damage: 'a byte was changed' } })),
    ],
  ] as const)('is not when it %s', async (_what, damage) => {
    await damage()
    expect(await proved()).toBe('')
    const { list } = await test.perform('backups list', { name: 'demo' })
    for (const backup of list as readonly { damage: string; proved: string }[])
      if (backup.damage !== '') expect(backup.proved).toBe('')
  })

  it('is proved when only a good copy at a target is left', async () => {
    await changeStatus(folder, (status) => ({ ...status, copies: { nas: { at } } }))
    rmSync(folder, { recursive: true })
    expect(await proved()).toBe(at)
    await changeStatus(folder, (status) => ({ ...status, copies: { nas: { at, damage: 'a byte was changed' } } }))
    expect(await proved()).toBe('')
  })
})

describe('a backup without manifest', () => {
  const told = async () => {
    const { list } = await test.perform('doctor', { category: 'backups' })
    return (list as unknown as readonly Diagnosis[]).filter(
      ({ check, level }) => check === 'damaged-backups' && level !== 'ok',
    )
  }

  it('is reported by backups list and doctor, with what can be done', async () => {
    rmSync(join(folder, 'manifest.json'))
    const text = `The backup ${folder} is damaged: it has no manifest.json.`
    expect((await test.perform('backups list', { name: 'demo' })).warnings).toEqual([expect.stringContaining(text)])
    expect(await told()).toMatchObject([
      { level: 'warning', message: expect.stringContaining('Restore its files manually') },
    ])
    await expect(test.perform('restore', { name: 'demo', from: basename(folder) })).rejects.toMatchObject({
      code: 'ERR_BACKUP',
    })
    await changeStatus(folder, (status) => ({ ...status, copies: { nas: { at } } }))
    expect((await told())[0]?.message).toContain(`backups fetch demo --from nas:${basename(folder)}`)
  })

  it('is nothing while an operation makes it', async () => {
    rmSync(join(folder, 'manifest.json'))
    const { [sqlite]: database } = test.context.registry
    const insert = database.prepare(
      `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
       values ('o1', 'save', 'idemo', 'demo', '', '', 'cli', '{}', ?, '[]', 'running', '{}', ?)`,
    )
    insert.run(JSON.stringify({ key: `demo/${basename(folder)}` }), at)
    expect(await test.context.backups.damaged({ name: 'demo' })).toEqual([])
    database.exec(`delete from operation where id = 'o1'`)
    expect(await test.context.backups.damaged({ name: 'demo' })).toHaveLength(1)
    renameSync(folder, `${folder}.part`)
    expect(await test.context.backups.damaged({ name: 'demo' })).toEqual([])
  })
})
