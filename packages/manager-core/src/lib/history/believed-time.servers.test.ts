import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, expect, it } from 'vitest'
import { openRegistry } from '../store/registry.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { createTestHome } from '../testing/test-home.js'
import { homeAt } from '../domain/home.js'
import { believedTime, clockDoubt, noteClock } from './believed-time.js'

const dayMs = 86_400_000
const begin = Date.parse('2026-03-01T10:00:00Z')

/** A clock, and how long the machine runs, which both move only by the calls below. */
function time() {
  const now = { wall: begin, seconds: 100, boot: 'one' }
  return {
    clock: () => new Date(now.wall),
    uptime: () => ({ boot: now.boot, seconds: now.seconds }),
    pass(days: number) {
      now.wall += days * dayMs
      now.seconds += days * 86_400
    },
    leap: (days: number) => void (now.wall += days * dayMs),
    restart(days: number) {
      now.wall += days * dayMs
      now.boot += '+'
      now.seconds = 60
    },
  }
}

function fixture() {
  const registry = openRegistry({ file: homeAt(createTestHome()).database })
  onTestFinished(() => registry.close())
  const { clock, uptime, ...moves } = time()
  const context = { registry, clock, uptime }
  noteClock(context)
  const ahead = () => Math.round((clock().getTime() - believedTime(context).getTime()) / dayMs)
  return { context, ahead, note: () => noteClock(context), ...moves }
}

it('believedTime() is the clock while the machine runs, however long no command was given', () => {
  const { ahead, note, pass, context } = fixture()
  pass(400)
  note()
  expect([ahead(), clockDoubt(context)]).toEqual([0, undefined])
})

it('believedTime() stays before a leap, and goes by how long the machine runs, until the clock ran on for days', () => {
  const { ahead, note, pass, leap, context } = fixture()
  pass(1)
  note()
  leap(400)
  note()
  expect(ahead()).toBe(400)
  expect(clockDoubt(context)).toMatch(/400 days ahead/)
  pass(1)
  note()
  expect(believedTime(context).toISOString().slice(0, 10)).toBe('2026-03-03')
  pass(2)
  note()
  expect([ahead(), clockDoubt(context)]).toEqual([0, undefined])
})

it('believedTime() is the clock again when that was set right', () => {
  const { ahead, note, leap, context } = fixture()
  leap(400)
  note()
  leap(-400)
  // A command that changes nothing, such as doctor, notes nothing.
  expect([ahead(), clockDoubt(context)]).toEqual([0, undefined])
  note()
  expect([ahead(), clockDoubt(context)]).toEqual([0, undefined])
})

it('believedTime() doubts a clock after a start of the machine when it was off for longer than a week', () => {
  const { ahead, note, restart } = fixture()
  restart(6)
  note()
  expect(ahead()).toBe(0)
  restart(30)
  note()
  expect(ahead()).toBe(30)
})

it('noteClock() compares the first time with what the last command wrote', () => {
  const registry = openRegistry({ file: homeAt(createTestHome()).database })
  onTestFinished(() => registry.close())
  const { clock, uptime, leap } = time()
  registry.transaction((writer) =>
    writer.addHistory({
      at: clock().toISOString(),
      actor: 'tester',
      surface: 'cli',
      action: 'refresh',
      instanceId: '',
      instance: '',
      parameters: {},
      result: 'ok',
      message: '',
      operation: '',
      duration: 0,
    }),
  )
  leap(100)
  noteClock({ registry, clock, uptime })
  expect(clockDoubt({ registry, clock, uptime })).toMatch(/100 days ahead/)
})

it('a clock that is ahead removes neither backups nor the trash nor what waits in it', async () => {
  const { clock, uptime, leap, pass } = time()
  const test = await createTestManager({ clock, uptime, config: ['export APPS_SAVE_DIR_DEPTH=30'] })
  onTestFinished(() => test.close())
  await test.perform('add', { name: 'one' })
  for (let n = 0; n < 3; n++) {
    await test.perform('save', { name: 'one' })
    pass(1)
  }
  await test.perform('add', { name: 'two' })
  await test.perform('delete', { name: 'two' })
  leap(400)
  const { warnings } = await test.perform('save', { name: 'one' })
  expect(warnings?.at(-1)).toMatch(/400 days ahead of the last command/)
  await test.perform('refresh')
  expect((await test.perform('trash')).list).toHaveLength(1)
  expect(readdirSync(join(test.home, 'save', 'one')).filter((name) => /^\d/.test(name))).toHaveLength(4)
  expect((await test.perform('doctor', { category: 'system' })).list).toContainEqual(
    expect.objectContaining({ check: 'clock', level: 'error' }),
  )
  pass(3)
  await test.perform('refresh')
  await test.perform('save', { name: 'one' })
  expect((await test.perform('trash')).list).toHaveLength(0)
  expect(readdirSync(join(test.home, 'save', 'one')).filter((name) => /^\d/.test(name))).toHaveLength(2)
})
