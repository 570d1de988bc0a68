import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { mailFailure } from '../mail/mail-failure.js'
import { forEachInstance } from '../operation/for-each-instance.js'
import { ofSeveral } from '../operation/of-several.js'
import type { OperationResult } from '../operation/operation.js'
import { availableUpdate } from '../templates/upgrade-needed.js'
import { lastRehearsal, rehearseKind } from './rehearse.js'
import { upgradeKind, type UpgradeRequest } from './upgrade.js'

export type UpgradeAllEntry = {
  readonly name: string
  readonly version: string
  /** `not begun`: the window (APPS_WINDOW) ended, or another one of the version failed before. */
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
 * After the first one no other of the same version is started, unless `keepGoing`; those of other versions are.
 */
export async function upgradeAll(
  context: ManagerContext,
  caller: Caller,
  { keepGoing, now }: UpgradeAllOptions,
): Promise<UpgradeAllReport> {
  return forEachInstance<OperationResult, UpgradeAllEntry>(context, caller, {
    instances: await autoUpgraded(context),
    noun: 'upgrade',
    titleOf: (name) => `Upgrade instance "${name}"`,
    stops: keepGoing ? undefined : (failed, next) => failed.version === next.version,
    now,
    run: async (instance) => {
      const request = { id: instance.id, name: instance.name, force: false }
      if (context.settings.global.rehearseUpgrades) await rehearseOnce(context, instance, request, ofSeveral(caller))
      return context.operations.run(upgradeKind, request, ofSeveral(caller))
    },
    entryOf: ({ name, version }, { result, message }) => ({
      name,
      version,
      result: result === 'done' ? 'upgraded' : result,
      message,
    }),
    async onFailure(failed, text) {
      const subject = `upgrade of ${failed.map(({ name }) => name).join(', ')} failed`
      const problem = await mailFailure(context, { subject, text })
      return problem === undefined ? [] : [`The failure could not be mailed: ${problem}`]
    },
  })
}

/** Unless the same went well before. @throws ManagerError when the upgrade would fail */
async function rehearseOnce(
  context: ManagerContext,
  instance: Instance,
  upgrade: UpgradeRequest,
  caller: Caller,
): Promise<void> {
  const { revision } = await context.templates.get(instance.version)
  if (lastRehearsal(context, instance, revision)?.good) return
  await context.operations.run(rehearseKind, { id: randomId(), upgrade }, caller)
}

/**
 * Those that are upgraded automatically and have something newer to go to, which they were not rolled back from. Not
 * specified; chosen: those that are not protected first, as they matter less, then by name.
 */
export async function autoUpgraded(
  context: Pick<ManagerContext, 'registry' | 'templates'>,
): Promise<readonly Instance[]> {
  const { wanted } = await upgradable(context)
  return wanted.toSorted((a, b) => Number(a.protected) - Number(b.protected))
}

/** Why instances in nightly upgrades are left out although there is something newer, sentences. */
export async function heldBack(context: Pick<ManagerContext, 'registry' | 'templates'>): Promise<readonly string[]> {
  const { held } = await upgradable(context)
  return held.map(
    ({ name }) =>
      `"${name}" is left out, because it was rolled back from the latest revision. To upgrade it: manager upgrade ${name}`,
  )
}

/** Those in nightly upgrades that have something newer to go to. */
async function upgradable({ registry, templates }: Pick<ManagerContext, 'registry' | 'templates'>) {
  const versions = await templates.list()
  const [wanted, held]: [Instance[], Instance[]] = [[], []]
  for (const instance of registry.instances()) {
    const update = instance.autoUpdate ? availableUpdate(instance, versions) : undefined
    if (update) (update.revision === instance.heldRevision ? held : wanted).push(instance)
  }
  return { wanted, held }
}
