import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { mailFailure } from '../mail/mail-failure.js'
import type { Caller } from '../operation/operation.js'
import { isInWindow } from '../schedule/window.js'
import { isUpgradeNeeded } from './upgrade-needed.js'
import { upgradeKind } from './upgrade.js'

export type UpgradeAllEntry = {
  readonly name: string
  readonly version: string
  /** `not begun`: the window (APPS_WINDOW) ended, or another one failed before. */
  readonly result: 'upgraded' | 'failed' | 'not begun'
  readonly message: string
}

export interface UpgradeAllReport {
  readonly entries: readonly UpgradeAllEntry[]
  readonly warnings: readonly string[]
}

export interface UpgradeAllOptions {
  readonly keepGoing: boolean
  /** Also outside of APPS_WINDOW. */
  readonly now: boolean
}

/**
 * Upgrades one instance after the other, so that a version that does not work meets one of them; failures are mailed.
 * Stops after the first one unless `keepGoing`.
 */
export async function upgradeAll(
  context: ManagerContext,
  caller: Caller,
  { keepGoing, now }: UpgradeAllOptions,
): Promise<UpgradeAllReport> {
  const entries: UpgradeAllEntry[] = []
  const warnings: string[] = []
  let why: string | undefined
  for (const instance of await autoUpgraded(context)) {
    const { name, version } = instance
    if (why === undefined && !now && !isInWindow(context.clock(), context.settings.global.window))
      why = 'It is outside of the window (APPS_WINDOW).'
    if (why !== undefined) {
      entries.push({ name, version, result: 'not begun', message: why })
      continue
    }
    const { entry, warnings: more } = await upgrade(context, caller, instance)
    entries.push(entry)
    warnings.push(...more)
    if (entry.result === 'failed' && !keepGoing) why = `The upgrade of "${name}" failed before.`
  }
  const problem = await mailFailures(context, entries)
  if (problem !== undefined) warnings.push(`The failure could not be mailed: ${problem}`)
  return { entries, warnings }
}

/**
 * Those that are upgraded automatically and have something newer to go to. Not specified; chosen: those that are not
 * protected first, as they matter less, then by name.
 */
export async function autoUpgraded({
  registry,
  templates,
}: Pick<ManagerContext, 'registry' | 'templates'>): Promise<readonly Instance[]> {
  const versions = new Map((await templates.list()).map((one) => [one.version, one]))
  return registry
    .instances()
    .filter((instance) => {
      const newest = versions.get(instance.version)
      return instance.autoUpdate && newest !== undefined && isUpgradeNeeded(instance, newest)
    })
    .toSorted((a, b) => Number(a.protected) - Number(b.protected))
}

async function upgrade(context: ManagerContext, caller: Caller, { id, name, version }: Instance) {
  try {
    const { warnings } = await context.operations.run(upgradeKind, { id, name, force: false }, caller)
    const entry: UpgradeAllEntry = { name, version, result: 'upgraded', message: '' }
    return { entry, warnings: warnings.map((warning) => `${name}: ${warning}`) }
  } catch (error) {
    caller.signal?.throwIfAborted()
    if (!(error instanceof ManagerError)) throw error
    const entry: UpgradeAllEntry = { name, version, result: 'failed', message: error.message }
    return { entry, warnings: [] }
  }
}

async function mailFailures(context: ManagerContext, entries: readonly UpgradeAllEntry[]): Promise<string | undefined> {
  const failed = entries.filter(({ result }) => result === 'failed')
  if (failed.length === 0) return undefined
  return mailFailure(context, {
    subject: `upgrade of ${failed.map(({ name }) => name).join(', ')} failed`,
    text: entries.map(({ name, result, message }) => `${name}: ${result}${message && `\n  ${message}`}`).join('\n'),
  })
}
