import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRowCounter } from './count-rows.js'

/** Gives one after the other. */
function counts(...all: readonly (Readonly<Record<string, number>> | Error)[]) {
  const left = [...all]
  return async () => {
    const rows = left.shift()
    if (rows instanceof Error) throw rows
    return { rows: rows ?? {} }
  }
}

const hour = 3_600_000
const never = (text: string) => expect.unreachable(text)

it('rows that were counted while nothing was written need no second count', async () => {
  const rows = await createRowCounter(counts({ note: 1, log: 5 }, { note: 2, log: 5 }), hour)
  await rows.countFrozen()
  await rows.countAgain(never)
  expect(rows.counted()).toEqual({ rows: { note: 2, log: 5 } })
})

it('tables that were written to, made or removed meanwhile have a second number', async () => {
  const before = { note: 1, log: 5, gone: 3 }
  const rows = await createRowCounter(counts(before, { note: 1, log: 6, made: 1 }), hour)
  await rows.countAgain(never)
  expect(rows.counted()).toEqual({ rows: before, rowsAfter: { log: 6, gone: null, made: 1 } })
})

it('what was counted while it may have changed is counted once more', async () => {
  const rows = await createRowCounter(counts({ note: 1 }, { note: 2 }, { note: 3 }), 20)
  await sleep(40)
  await rows.countFrozen()
  await rows.countAgain(never)
  expect(rows.counted()).toEqual({ rows: { note: 1 }, rowsAfter: { note: 3 } })
})

it('an instance is not frozen for what takes long to count', async () => {
  const count = counts({ note: 1 }, { note: 1 })
  const rows = await createRowCounter(() => sleep(250).then(count), 10_000)
  await rows.countFrozen()
  expect(await count()).toEqual({ rows: { note: 1 } })
})

it('rows that cannot be counted again are a warning', async () => {
  const warnings: string[] = []
  const rows = await createRowCounter(counts({ note: 1 }, new Error('busy'), new Error('still busy')), hour)
  await rows.countFrozen()
  await rows.countAgain((text) => warnings.push(text))
  expect(rows.counted()).toEqual({ rows: { note: 1 } })
  expect(warnings).toEqual([expect.stringContaining('still busy')])
})
