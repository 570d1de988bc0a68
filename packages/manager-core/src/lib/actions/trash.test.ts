import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { surveyDisk } from '../disk/survey-disk.js'
import { listTrash, trashFile } from '../instances/trash.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let test: TestManager
beforeAll(async () => {
  test = await createTestManager()
  for (const name of ['old', 'new']) {
    await test.perform('add', { name, 'no-start': true })
    await test.perform('delete', { name })
  }
  const [entry] = (await listTrash(test.context.home)).filter(({ instance }) => instance.name === 'old')
  const file = join(entry!.folder, trashFile)
  const deleted = new Date(Date.now() - 3 * 86_400_000).toISOString()
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), deleted }))
})
afterAll(() => test.close())

const names = async () => (await listTrash(test.context.home)).map(({ instance }) => instance.name).toSorted()

it('purge() with days is refused without all', async () => {
  await expect(test.perform('purge', { entry: 'old', days: 1 })).rejects.toMatchObject({ code: 'ERR_USAGE' })
})

it('what a full disk advises to run keeps what was deleted in the last day', async () => {
  const { freeable } = await surveyDisk(test.context, test.home)
  const commands = freeable.map(({ command }) => command).filter((command) => command.startsWith('manager purge'))
  expect(commands).toEqual(['manager purge --all --days 1'])
  expect(freeable).toContainEqual(expect.objectContaining({ command: 'manager trash' }))
  expect(await names()).toEqual(['new', 'old'])
  expect((await test.perform('purge', { all: true, days: 1 })).message).toBe('1 permanently deleted.')
  expect(await names()).toEqual(['new'])
  await test.perform('undelete', { entry: 'new' })
  expect(existsSync(test.path('new', 'app'))).toBe(true)
})
