import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let manager: TestManager

afterEach(() => manager?.close())

/** No process has it: Linux gives none above 4194304. */
const dead = 4_194_305

test('the next copy removes what killed processes were writing, and leaves what living ones write', async () => {
  manager = await createTestManager()
  const folder = manager.context.home.registryCopies
  mkdirSync(join(folder, `.work-${dead}-abc`), { recursive: true })
  writeFileSync(join(folder, `.work-${dead}-abc`, 'manager.db'), 'half')
  writeFileSync(join(folder, `.work-${dead}-registry`), 'half')
  writeFileSync(join(folder, `.work-${process.ppid}-registry`), 'half')
  await manager.perform('add', { name: 'demo', 'no-start': true })
  const names = readdirSync(folder)
  expect(names.filter((name) => name.startsWith('.work-'))).toEqual([`.work-${process.ppid}-registry`])
  const [newest] = manager.context.registryCopies.list()
  expect(existsSync(String(newest?.file))).toBe(true)
})

test('half a copy is none of the copies', async () => {
  manager = await createTestManager()
  await manager.perform('add', { name: 'demo', 'no-start': true })
  const before = manager.context.registryCopies.list()
  writeFileSync(join(manager.context.home.registryCopies, `.work-${dead}-registry`), 'half')
  expect(manager.context.registryCopies.list()).toEqual(before)
})
