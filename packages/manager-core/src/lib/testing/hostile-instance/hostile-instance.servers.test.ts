import { describe, expect, it } from 'vitest'
import { createTestManager } from '../create-test-manager.js'
import { canUseAccounts } from '../reachable-checkout.js'
import { attacks } from './attacks.js'
import { allRounds, someRounds } from './choose.js'
import { testHostileInstance } from './hostile-suite.js'
import { operations } from './operations.js'
import { anotherRuntime } from './another-runtime.js'

const isHere = canUseAccounts(import.meta.url)
const { TEST_DEEP, HOSTILE_SEED, HOSTILE_ROUND } = process.env
const seed = Number(HOSTILE_SEED ?? 20_261_128)
const isAll = TEST_DEEP === '1' || HOSTILE_ROUND !== undefined

describe.runIf(isHere)(`an instance that is hostile reaches nothing of others (HOSTILE_SEED=${seed})`, () => {
  it('attacks in at least sixty ways', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60)
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length)
  })

  testHostileInstance({
    make: () =>
      createTestManager({
        config: ['export APPS_ISOLATION=auto', 'export APPS_HEALTHWINDOW=0'],
        runtimes: { another: anotherRuntime },
      }),
    rounds: (isAll ? allRounds : someRounds(seed)).filter(({ name }) => name.startsWith(HOSTILE_ROUND ?? '')),
    onEnd: (tries) =>
      process.stderr.write(`${attacks.length} attacks, ${operations.length} operations: tried ${tries} times\n`),
  })
})
