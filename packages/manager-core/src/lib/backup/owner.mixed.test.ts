/** @module-tag mixed */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Input } from '../domain/input.js'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'

let test: TestManager
afterEach(() => test?.close())

/** Rows that actions list. */
type Row = Readonly<Record<string, string>>

async function start(options: TestManagerOptions = {}) {
  test = await createTestManager(options)
  const add = async (name: string, word: string) => {
    await test.perform('add', { name, 'no-start': true })
    writeFileSync(document(name), word)
  }
  const document = (name: string) => test.path(name, 'data', 'document.txt')
  const save = async (name: string) => ((await test.perform('save', { name })).item as Row)['backup'] as string
  const list = async (input: Record<string, string> = {}) =>
    ((await test.perform('backups list', input)).list as readonly Row[]).map(({ name, backup }) => `${name}/${backup}`)
  const wordOf = (name: string) => readFileSync(document(name), 'utf8')
  return { add, save, list, wordOf, document }
}

it('backups go with a renamed instance, and a new one of the old name neither sees nor removes them', async () => {
  const { add, save, list, wordOf, document } = await start({ config: ['export APPS_KEEP_LAST=1'] })
  await add('prod', 'first')
  const old = await save('prod')
  await test.perform('rename', { name: 'prod', new: 'oldprod' })
  expect(await list({ name: 'oldprod' })).toEqual([`prod/${old}`])
  await add('prod', 'second')
  expect(await list({ name: 'prod' })).toEqual([])
  const first = await save('prod')
  const second = await save('prod')
  // The rule removes those of the same instance only.
  expect((await list()).toSorted()).toEqual([`prod/${old}`, `prod/${second}`].toSorted())
  expect(await list({ name: 'prod' })).toEqual([`prod/${second}`])
  expect(await list({ name: 'oldprod' })).toEqual([`prod/${old}`])
  expect((await test.perform('backups list', { name: 'prod' })).message).toContain(
    '1 under this name belong to another',
  )
  const newest = await save('oldprod')
  expect(await list({ name: 'oldprod' })).toEqual([`oldprod/${newest}`])
  expect(await list({ name: 'prod' })).toEqual([`prod/${second}`])
  expect(existsSync(join(test.home, 'save', 'prod', first))).toBe(false)
  writeFileSync(document('oldprod'), 'changed')
  await test.perform('restore', { name: 'oldprod' })
  expect([wordOf('oldprod'), wordOf('prod')]).toEqual(['first', 'second'])
})

it('restore takes the backup of another instance only when it is named as a whole, with --other-instance', async () => {
  const { add, save, list, wordOf } = await start()
  await add('pg1', 'first')
  const backup = await save('pg1')
  await test.perform('rename', { name: 'pg1', new: 'pgr' })
  await add('pg1', 'second')
  for (const dryRun of [true, false]) {
    const restore = (input: Readonly<Record<string, Input>>) =>
      test.perform('restore', { name: 'pg1', ...input }, { dryRun })
    const own: readonly Readonly<Record<string, Input>>[] = [
      {},
      { from: backup },
      { from: backup, 'other-instance': true },
    ]
    for (const input of own)
      await expect(restore(input)).rejects.toMatchObject({
        code: 'ERR_NOT_FOUND',
        help: 'Another instance that was named "pg1" has backups; use their full names: pg1/<backup>.',
      })
    await expect(restore({ from: `pg1/${backup}` })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: `The backup ${backup} belongs to another instance (then "pg1", now "pgr"), not to "pg1".`,
      help: 'Create a new instance from it with --as, or replace the contents of "pg1" with --other-instance.',
    })
  }
  expect(wordOf('pg1')).toBe('second')
  const other = { name: 'pg1', from: `pg1/${backup}`, 'other-instance': true }
  const { plan } = await test.perform('restore', other, { dryRun: true })
  expect(plan?.notes).toContain(
    'This backup belongs to another instance (then "pg1", now "pgr"). Its data replaces that of "pg1".',
  )
  await test.perform('restore', other)
  expect(wordOf('pg1')).toBe('first')
  expect(await list({ name: 'pg1' })).toEqual([])
  await expect(test.perform('prove', { name: 'pg1' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await test.perform('prove', { name: 'pg1', backup: `pg1/${backup}` })
  expect(test.instance('pgr').proved).not.toBe('')
  expect(test.instance('pg1').proved).toBe('')
})

it(
  'restore of a name that was given up is refused while the instance is there under another one',
  { tags: 'core' },
  async () => {
    const { add, save, wordOf } = await start()
    await add('prod', 'first')
    await save('prod')
    await test.perform('rename', { name: 'prod', new: 'moved' })
    await expect(test.perform('restore', { name: 'prod' })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: 'The instance of this backup, "prod", still exists: it is now named "moved".',
    })
    await test.perform('restore', { name: 'prod', as: 'copy' })
    expect(wordOf('copy')).toBe('first')
    expect(test.instance('copy').id).not.toBe(test.instance('moved').id)
  },
)

it('an instance that is made again keeps its id and with it its backups, unless the trash has it', async () => {
  const { add, save, list } = await start()
  await add('demo', 'first')
  const { id } = test.instance('demo')
  const backup = await save('demo')
  await test.perform('delete', { name: 'demo' })
  await test.perform('restore', { name: 'demo' })
  expect(test.instance('demo').id).not.toBe(id)
  expect(await list({ name: 'demo' })).toEqual([])
  await test.perform('delete', { name: 'demo', purge: true })
  await test.perform('purge', { entry: 'demo' })
  await test.perform('restore', { name: 'demo', from: `demo/${backup}` })
  expect(test.instance('demo').id).toBe(id)
  expect(await list({ name: 'demo' })).toEqual([`demo/${backup}`])
})

it('copies at a target belong to the instance, too: list, restore, retention and checksaves go by it', async () => {
  const nas = ['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', 'APPS_TARGET_NAS_PATH=$APPS_HOME/nas']
  const { add, list, wordOf } = await start({
    config: [...nas, 'export APPS_KEEP_LAST=1', 'APPS_SAVEALL_REMOVE_LOCAL=true'],
  })
  mkdirSync(join(test.home, 'nas'))
  await add('prod', 'first')
  await test.perform('autosave', { name: 'prod' })
  await test.perform('saveall')
  // Nothing is here any more.
  expect(await list()).toEqual([])
  const [old] = await list({ at: 'nas' })
  await test.perform('rename', { name: 'prod', new: 'oldprod' })
  expect((await test.perform('checksaves')).exitCode ?? 0).toBe(0)
  expect(await list({ name: 'oldprod', at: 'nas' })).toEqual([old])
  await add('prod', 'second')
  await test.perform('autosave', { name: 'prod' })
  expect(await list({ name: 'prod', at: 'nas' })).toEqual([])
  await expect(test.perform('restore', { name: 'prod', from: 'nas' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(test.perform('restore', { name: 'prod', from: `nas:${old}` })).rejects.toMatchObject({
    code: 'ERR_STATE',
  })
  await test.perform('noautosave', { name: 'oldprod' })
  await test.perform('saveall')
  await test.perform('backups prune', { at: 'nas' })
  expect(await list({ name: 'oldprod', at: 'nas' })).toEqual([old])
  expect(readdirSync(join(test.home, 'nas', 'prod'))).toHaveLength(2)
  await test.perform('restore', { name: 'oldprod', from: 'nas' })
  expect([wordOf('oldprod'), wordOf('prod')]).toEqual(['first', 'second'])
})
