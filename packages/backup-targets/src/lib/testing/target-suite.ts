import { afterAll, describe, inject, test } from 'vitest'
import { checks } from '../checks/index.js'
import { runCheck } from '../checks/run-check.js'
import type { BackupTarget } from '../target.js'

/** What the suite needs of an implementation. */
export interface TargetFixture {
  readonly name: string
  /** Another connection to the same store; the suite works below a prefix of its own. */
  open(): Promise<BackupTarget> | BackupTarget
  /** Names of checks, for a second way to what all of them were tried on. Default: all. */
  readonly only?: readonly string[]
}

/**
 * Defines the tests of the contract for one implementation; call it in a test file of vitest. They do not meet: inside of
 * `describe(…, { concurrent: true }, …)` several run at the same time.
 */
export function testBackupTarget({ name, open, only }: TargetFixture): void {
  const unknown = only?.filter((each) => !checks.some((check) => check.name === each)) ?? []
  if (unknown.length > 0) throw new Error(`There are no checks with these names: ${unknown.join('; ')}`)
  describe(name, () => {
    let target: Promise<BackupTarget> | undefined
    let other: Promise<BackupTarget> | undefined
    const another = () => (other ??= Promise.resolve(open()))
    // No folder for all: some stores remove one that is empty, in which the next check starts.
    const prefix = `suite-${crypto.randomUUID().slice(0, 8)}-`

    afterAll(async () => {
      for (const connection of [target, other]) await (await connection)?.close()
    })

    for (const check of checks.filter((each) => only?.includes(each.name) ?? true)) {
      test(check.name, isQuick(check.name) ? { tags: 'core' } : {}, async ({ skip }) => {
        const connection = await (target ??= Promise.resolve(open()))
        const reason = check.skip?.(connection.capabilities)
        if (reason !== undefined) skip(reason)
        await runCheck(check, { target: connection, another, open: async () => open(), prefix })
      })
    }
  })
}

/** Checks that show the core of the contract. Runs of this repository choose by the tag; elsewhere it is not known. */
const core: ReadonlySet<string> = new Set([
  'an object is stored, found and read back',
  'an object of several parts is stored, listed with its size, and deleted',
  'an object is replaced, also by a smaller one',
  'what is not there is not found',
  'a deleted object is gone, and only that one',
  'a list has what begins with the prefix, and nothing else',
  'an upload whose source fails leaves nothing that is seen, and does not harm what was there',
  'an interrupted upload resumes where it stopped',
  'capabilities are data that does not change',
])

function isQuick(name: string): boolean {
  return inject('tier' as never) !== undefined && core.has(name)
}
