import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { giveHome } from '../../accounts/give.js'
import { makeAccount, removeAccount } from '../../accounts/system-accounts.js'
import { instanceHomeAt } from '../../domain/home.js'
import type { RuntimeUnderTest } from '../contract/runtime-under-test.js'
import { createSpecs } from '../processes-for-test.js'
import { createSystemdRuntime, type SystemdRuntimeOptions } from './create-systemd-runtime.js'

/**
 * A runtime of units with instances in a temporary folder, whose name is hard to write into a unit; each of them has an
 * account. It gives up after three starts.
 */
export async function unitsUnderTest(
  options: SystemdRuntimeOptions = {},
  { base = tmpdir(), prefix = `t${process.pid}-` }: { readonly base?: string; readonly prefix?: string } = {},
): Promise<RuntimeUnderTest & { readonly folder: string }> {
  const folder = mkdtempSync(join(base, `steward 50% $HOME "ünit" [a]* `))
  // Accounts pass through it.
  chmodSync(folder, 0o711)
  const make = () =>
    createSystemdRuntime({ policy: { pauseSeconds: 0.05, limit: 3, withinSeconds: 60 }, debugMinutes: 1, ...options })
  const specs = createSpecs(folder)
  const accounts: string[] = []
  return {
    folder,
    runtime: make(),
    another: make,
    async spec(label, port, environment) {
      const made = await specs(label, port, environment)
      // Other files make units at the same time.
      const spec = { ...made, id: `${prefix}${made.id}` }
      const account = await makeAccount(`steward-${spec.id}`, folder)
      accounts.push(account.name)
      await giveHome(instanceHomeAt(spec.folder), account)
      return spec
    },
    async close() {
      for (const name of accounts) await removeAccount(name, folder)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
