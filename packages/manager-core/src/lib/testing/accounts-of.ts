import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { TestManager } from './create-test-manager.js'

/** Names of the system accounts that a manager made. */
export function accountsOf({ home }: { readonly home: string }): readonly string[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines
    .map((line) => line.split(':'))
    .flatMap(([name = '', , , , of]) => (of === `Steward ${home}` ? [name] : []))
}

/** Removes those that are left; a test that leaves some fails by it. */
export function endAccountsOf(manager: { readonly home: string }): void {
  const left = accountsOf(manager)
  for (const name of left) execFileSync('userdel', ['--force', name])
  if (left.length > 0) throw new Error(`Accounts were left: ${left.join(', ')}`)
}

/** Deletes the instances of a test, and closes it. An account that is left fails the test. */
export async function closeWithAccounts(test: TestManager): Promise<void> {
  try {
    for (const { name } of test.context.registry.instances())
      await test.perform('delete', { name, force: true, purge: true })
  } finally {
    await test.close()
    endAccountsOf(test)
  }
}
