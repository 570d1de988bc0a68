import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../create-test-manager.js'
import { canUseAccounts } from '../reachable-checkout.js'
import { closeHostile, patience } from './hostile-suite.js'
import { placeCanaries, type Canaries } from './canaries.js'
import { forgeries } from './forgeries.js'
import { recoverForgeries, runForgeries } from './run-forgeries.js'

const isHere = canUseAccounts(import.meta.url)
const { TEST_DEEP, HOSTILE_SEED, HOSTILE_ATTACK = '' } = process.env
const seed = Number(HOSTILE_SEED ?? 20_261_128)
const isAll = TEST_DEEP === '1' || HOSTILE_ATTACK !== ''
const chosen = forgeries.filter(({ name }) => name.includes(HOSTILE_ATTACK))

describe.runIf(isHere)('a backup that was forged', () => {
  let test: TestManager
  let canaries: Canaries
  beforeAll(async () => {
    test = await createTestManager({ config: ['export APPS_ISOLATION=auto', 'export APPS_HEALTHWINDOW=0'] })
    const { hooks } = test.context.home
    mkdirSync(hooks, { mode: 0o700 })
    writeFileSync(join(hooks, 'post-start.sh'), '#!/bin/bash\nexit 0\n', { mode: 0o700 })
    canaries = await placeCanaries(test)
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo' })
  })
  afterAll(() => test && closeHostile(test))

  // Each is recovered from below; every fourth is used in other ways, too.
  it(`reaches nothing of others (HOSTILE_SEED=${seed})`, { timeout: patience }, async () => {
    const { harms, tries } = await runForgeries({
      test,
      canaries,
      forgeries: chosen.filter((_one, number) => isAll || number % 4 === seed % 4),
      all: TEST_DEEP === '1',
    })
    process.stderr.write(`${forgeries.length} forgeries: tried ${tries} times\n`)
    expect(harms).toEqual([])
  })
  it('reaches nothing of others when a server is recovered from it', { timeout: patience }, async () => {
    const { harms, results } = await recoverForgeries({ test, canaries, forgeries: chosen })
    expect(harms).toEqual([])
    expect([...results]).toEqual(expect.arrayContaining(['restored', 'failed']))
  })
})
