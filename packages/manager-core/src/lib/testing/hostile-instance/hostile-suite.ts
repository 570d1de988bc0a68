import { afterAll, beforeAll, expect, it } from 'vitest'
import { endAccountsOf } from '../accounts-of.js'
import { endProcessesOf } from '../end-processes.js'
import type { TestManager } from '../create-test-manager.js'
import { placeCanaries, type Canaries } from './canaries.js'
import type { Round } from './choose.js'
import { runAttacks } from './run-attacks.js'

/** What to look at in a single run, see the README of this folder. */
const { HOSTILE_OPERATION = '', HOSTILE_ATTACK = '' } = process.env

/** Many attacks are waited for until a limit: only what hangs takes that long, in ms. */
export const patience = 3_600_000

export interface HostileSuite {
  /** A manager with accounts, whose instances have the runtime that is tested. */
  readonly make: () => Promise<TestManager>
  readonly rounds: readonly Round[]
  /** How often an attack was tried, by operation. Called in the end. */
  readonly onEnd?: (tries: number) => void
}

/** No attack reaches anything of others, in each of the rounds. */
export function testHostileInstance({ make, rounds, onEnd }: HostileSuite): void {
  let test: TestManager
  let canaries: Canaries
  let tries = 0

  beforeAll(async () => {
    test = await make()
    canaries = await placeCanaries(test)
  })
  afterAll(async () => {
    onEnd?.(tries)
    if (test) await closeHostile(test)
  })

  it.each(rounds)('$name', { timeout: patience }, async (round) => {
    const run = await runAttacks({
      test,
      canaries,
      attacks: round.attacks.filter(({ name }) => name.includes(HOSTILE_ATTACK)),
      operations: round.operations.filter(({ name }) => name.startsWith(HOSTILE_OPERATION)),
    })
    tries += run.tries
    expect(run.harms).toEqual([])
  })
}

/** Ends a manager after attacks: no process, account or file of it is left, whatever they have done. */
export async function closeHostile(test: TestManager): Promise<void> {
  try {
    for (const { name } of test.context.registry.instances())
      await test.perform('delete', { name, force: true, purge: true })
    await test.perform('purge', { all: true })
  } finally {
    await endProcessesOf(test.folder)
    await test.close()
    endAccountsOf(test)
  }
}
