import { describe, test } from 'vitest'
import type { BackupTarget } from '../target.js'

/** What the suite needs of an implementation. */
export interface TargetFixture {
  readonly name: string
  /** Another connection to the same store; the suite works below a prefix of its own. */
  open(): Promise<BackupTarget>
}

/** Defines the tests of the contract for one implementation; call it in a test file of vitest. */
export function testBackupTarget({ name }: TargetFixture): void {
  describe(name, () => {
    test.todo('not there yet')
  })
}
