import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Sample } from '../domain/sample.js'
import { openRegistry } from './registry.js'
import { createSampleStore } from './sample-store.js'
import { sqlite } from './sqlite.js'

const minuteMs = 60_000
const begin = Date.parse('2026-11-21T12:00:00.000Z')

/** A sample a minute of two instances, for two hours; at 12:20 `a` failed, and was slow to do so. */
function filled() {
  const folder = mkdtempSync(join(tmpdir(), 'steward-samples-'))
  const registry = openRegistry({ file: join(folder, 'manager.db') })
  onTestFinished(() => {
    registry.close()
    rmSync(folder, { recursive: true })
  })
  const store = createSampleStore(registry)
  const of = (instanceId: string) =>
    Array.from({ length: 120 }, (_, minute): Sample => {
      const isBad = instanceId === 'a' && minute === 20
      const at = begin + minute * minuteMs
      const load = { memoryMb: minute % 2 === 0 ? 100 : 200, cpuPercent: null, diskMb: 5 }
      return { instanceId, at, ok: !isBad, reason: isBad ? 'http-502' : '', responseMs: isBad ? 900 : 10, ...load }
    })
  store.add([...of('a'), ...of('b')])
  const count = () => Number(registry[sqlite].prepare('select count(*) as n from sample').get()?.n)
  return { store, count }
}

it('puts samples together: the longest answer, averages, and a check that failed is not lost', () => {
  const { store } = filled()
  const range = { from: begin, to: begin + 60 * minuteMs - 1 }
  const whole = store.range('a', { ...range, points: 1000 })
  expect(whole).toHaveLength(60)
  const few = store.range('a', { ...range, points: 4 })
  expect(few.map(({ ok, reason, responseMs }) => ({ ok, reason, responseMs }))).toEqual([
    { ok: true, reason: '', responseMs: 10 },
    { ok: false, reason: 'http-502', responseMs: 900 },
    { ok: true, reason: '', responseMs: 10 },
    { ok: true, reason: '', responseMs: 10 },
  ])
  expect(few[0]).toMatchObject({ at: begin + 14 * minuteMs, cpuPercent: null, diskMb: 5 })
  expect(store.newest('a')?.at).toBe(begin + 119 * minuteMs)
  expect(store.newest('c')).toBeUndefined()
  expect(store.counts(begin).get('a')).toEqual({ checks: 120, failed: 1 })
})

it('keeps one sample for each quarter of an hour of what is old, and forgets it one day', () => {
  const { store, count } = filled()
  store.thin(begin, begin + 60 * minuteMs)
  expect(count()).toBe(2 * (4 + 60))
  store.thin(begin, begin + 60 * minuteMs)
  expect(count()).toBe(2 * (4 + 60))
  const thinned = store.range('a', { from: begin, to: begin + 59 * minuteMs, points: 100 })
  expect(thinned.map(({ ok }) => ok)).toEqual([true, false, true, true])
  store.prune(begin + 60 * minuteMs)
  expect(count()).toBe(2 * 60)
})
