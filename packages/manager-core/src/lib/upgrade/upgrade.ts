import { ManagerError } from '../../errors.js'
import { saveSteps } from '../backup/save-steps.js'
import type { OperationKind, Plan, Step } from '../context.js'
import { isRunning } from '../domain/instance.js'
import { sizeText } from '../domain/readable.js'
import { folderSize } from '../files/folder-size.js'
import { checkDataThere } from '../instances/data-there.js'
import { existing } from '../instances/existing.js'
import { gapNote, handingOf, tellGap, type Handing } from '../instances/gap.js'
import { hookStep } from '../instances/hook-steps.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { stopStep } from '../instances/runtime-steps.js'
import { unprotected } from '../instances/unprotected.js'
import { installedOf, type InstanceVersion } from '../instances/version-step.js'
import { isUpgradeNeeded, shortRevision, titleChange, whyNotReplaced } from '../templates/upgrade-needed.js'
import { besideStep, removeOldApplicationStep, switchStep } from './application-steps.js'
import { checkNotes, checkUpgrade, type UpgradeCheck } from './check-upgrade.js'
import { patchesStep } from './patches.js'
import { newPointFolder, snapshotOf } from './restore-points.js'
import { restoreSnapshot } from './restore-snapshot.js'
import { tryStep } from './try-step.js'
import { upgradeBesideSteps } from './upgrade-beside.js'

export type UpgradeRequest = {
  readonly id: string
  readonly name: string
  /** Also when it has the newest revision already. */
  readonly force: boolean
  /** Also by another application, or an older one. Absent: no. */
  readonly replace?: boolean
  /** The database may lose what the new application has no place for. Absent: refused. */
  readonly destructive?: boolean
}

export type UpgradeFacts = {
  readonly name: string
  readonly folder: string
  readonly version: string
  readonly versionDate: string
  readonly revision: string
  /** What it runs. */
  readonly from: InstanceVersion
  /** Name and versions of the application, see `titleChange`. */
  readonly application: string | null
  readonly check: UpgradeCheck | null
  /** Folder of the new application. */
  readonly template: string
  /** Folder of the restore point that it leaves. */
  readonly point: string
  /** Whether it runs, or should: then it runs afterwards. */
  readonly runs: boolean
  /** For an instance with processes. */
  readonly handing: Handing | null
  /** Patches are imported by the manager. */
  readonly patches: boolean
  readonly windowMs: number
  readonly bytes: number
}

/**
 * Brings an instance to what its version has now, and back with all its data when that does not start, does not stay
 * healthy for APPS_HEALTHWINDOW, or cannot import its patches.
 *
 * The snapshot is taken when the instance is stopped, so that nothing that was written before can be lost. Where two
 * copies can run and no data are migrated, there is none, and no moment without an answer, see `upgradeBesideSteps`. What
 * it was before stays as a restore point for APPS_RESTOREPOINTDAYS, see `rollbackKind`.
 */
export const upgradeKind: OperationKind<UpgradeRequest, UpgradeFacts> = {
  kind: 'upgrade',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name, force, replace = false, destructive = false }, context) {
    const { home, registry, settings, templates, runtimes } = context
    const instance = destructive
      ? unprotected({ id, name }, 'upgraded with a loss of data', context)
      : existing(registry, { id, name })
    if (destructive && settings.global.restorePointDays === 0)
      throw new ManagerError('ERR_STATE', 'The lost data could not be restored, because no restore points are kept.', {
        help: 'Set APPS_RESTOREPOINTDAYS in config.sh to a number of days.',
      })
    const { folder, app, data } = home.instance(id)
    const { version, date, revision, location, folder: template } = await templates.get(instance.version)
    if (!force && !replace && !isUpgradeNeeded(instance, { date }))
      throw new ManagerError('ERR_STATE', `Instance "${instance.name}" already has the latest ${version}.`, {
        help: 'To fetch newer templates, run manager refresh. To upgrade anyway, add --force.',
        command: 'refresh',
      })
    const reason = replace ? undefined : await whyNotReplaced(app, template)
    if (reason !== undefined)
      throw new ManagerError('ERR_STATE', `Instance "${instance.name}" was not upgraded: ${reason}.`, {
        help:
          `Set the right template in version-${version}.sh (now ${location}) and refresh, or replace the application ` +
          'with --replace.',
        command: 'versions',
      })
    await checkDataThere(context, instance)
    const check = await checkUpgrade(context, instance, { template, destructive })
    const { state } = await runtimes.of(instance).observe({ id, folder })
    const { autoUpgrade } = await settings.version(version)
    const handing = !isRunning(state)
      ? null
      : check.losses.length > 0
        ? { gap: 'the database loses data (--destructive)' }
        : autoUpgrade
          ? await handingOf(context, instance, template)
          : { gap: 'patches are imported (APPS_AUTOUPGRADE=false)' }
    const size = await folderSize(template)
    // The application, the data once more when they must be put back, and their snapshot; or the application twice.
    const bytes = handing?.gap === null ? size * 2 : size + (await folderSize(data)) * 1.5
    await checkSpace(home.folder, bytes)
    return {
      name: instance.name,
      folder,
      version,
      versionDate: date,
      revision,
      template,
      bytes,
      from: installedOf(instance),
      point: newPointFolder(folder, installedOf(instance), context.clock()),
      application: (await titleChange(app, template)) ?? null,
      check,
      runs: instance.desired === 'started' || isRunning(state),
      handing,
      patches: !autoUpgrade,
      windowMs: settings.global.healthWindowMs,
    }
  },
  plan: planUpgrade,
}

export function planUpgrade({ id }: UpgradeRequest, facts: UpgradeFacts): Plan {
  const { name, folder, version, versionDate, revision, from, template, runs, patches, windowMs } = facts
  // Those of an operation that an older manager started have no application and no check.
  const { handing, application, check } = facts
  const instance = { id, name }
  const input = { action: 'upgrade', instance: name, version, versionDate, revision, from }
  const hook = { args: [name, version], folder, instance, input }
  const snapshot = snapshotOf(facts.point)
  const kept = { folder: facts.point, from, to: { version, versionDate, revision } }
  const stop = stopStep({ instance, folder })
  const isBeside = handing?.gap === null
  const steps = (): readonly Step[] => [
    besideStep(folder, template),
    handing ? tellGap(stop, handing) : stop,
    ...saveSteps({
      instance,
      folder,
      target: snapshot,
      backup: facts.point.slice(facts.point.lastIndexOf('/') + 1),
      suspend: false,
      secrets: true,
      encrypt: false,
    }),
    switchStep(folder),
    tryOrPutBackStep(),
    ...(patches ? [patchesStep({ id: instance.id, folder }, template)] : []),
    ...(runs ? [] : [stopAgainStep()]),
    removeOldApplicationStep(folder, kept),
  ]
  const trial = runs ? '' : ', which is stopped and will be started for the test'
  return {
    title: `Upgrade instance "${name}" to version ${version} of ${versionDate.slice(0, 10)}${trial}`,
    instance,
    steps: [
      hookStep({ ...hook, hook: 'pre-upgrade' }),
      ...(isBeside ? upgradeBesideSteps({ instance, folder, template, handing, windowMs, kept }) : steps()),
      hookStep({ ...hook, hook: 'post-upgrade' }),
    ],
    notes: [
      ...(application ? [`Application: ${application}, revision ${shortRevision(revision)}.`] : []),
      ...(check ? checkNotes(check) : []),
      `It temporarily needs ${sizeText(facts.bytes)} of disk space.`,
      ...(handing ? [gapNote(handing)] : []),
      ...(isBeside
        ? [
            `If the new version is not healthy for ${windowMs / 1000} s, the old one keeps running, and no data is ` +
              'changed.',
          ]
        : [
            'There is downtime while a snapshot of its data is taken and the new version starts.',
            `If the new version is not healthy for ${windowMs / 1000} s, code and data are rolled back.`,
          ]),
    ],
    commit(registry, { operation }) {
      registry.releasePorts(operation)
      registry.updateInstance(id, { versionDate, revision, installedVersion: '', heldRevision: '' })
    },
  }

  /** The new version may change data from its first moment on, so undoing it puts them back. */
  function tryOrPutBackStep(): Step {
    const attempt = tryStep({ instance, folder, windowMs, check: check ?? null })
    return {
      ...attempt,
      async undo(run) {
        await attempt.undo?.(run)
        await restoreSnapshot(run, { instance, folder, snapshot })
      },
    }
  }

  function stopAgainStep(): Step {
    const { undo: _undo, ...stop } = stopStep({ instance, folder })
    return { ...stop, id: 'stop-again', title: 'Stop it again' }
  }
}
