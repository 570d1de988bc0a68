import { existsSync } from 'node:fs'
import { linkTo } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import { isEncrypting } from '../backup/encryption.js'
import { needManifest, plainBytes } from '../backup/manifest.js'
import { newBackup } from '../backup/new-backup.js'
import { restoreWorkOf } from '../backup/restore-data-steps.js'
import { layOutBackupSteps, removeOldStep, swapStep } from '../backup/restore-data-steps.js'
import { saveSteps } from '../backup/save-steps.js'
import { settingsOfPoint } from '../backup/settings-of-backup.js'
import type { ManagerContext, OperationKind, Plan, Step } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { isRunning, type Instance } from '../domain/instance.js'
import { folderSize } from '../files/folder-size.js'
import { reachDatabaseServer, requireOwnDatabaseOf } from '../instances/database-step.js'
import { existing } from '../instances/existing.js'
import { gapNote, handingOf, tellGap, type Handing } from '../instances/gap.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { startStep, stopToStartStep } from '../instances/runtime-steps.js'
import { unprotected } from '../instances/unprotected.js'
import { versionStep, type InstanceVersion } from '../instances/version-step.js'
import { besideStep, removeOldApplicationStep, switchStep } from './application-steps.js'
import { lossNotes } from './losses.js'
import { applicationOf, pointOf, snapshotOf, type RestorePoint } from './restore-points.js'
import { upgradeBesideSteps } from './upgrade-beside.js'

export type RollbackRequest = {
  readonly id: string
  readonly name: string
  /** What it is now is saved before. */
  readonly save: boolean
}

type RollbackFacts = {
  readonly name: string
  readonly folder: string
  /** Folder of the restore point. */
  readonly point: string
  readonly hasData: boolean
  readonly before: InstanceVersion
  readonly after: InstanceVersion
  /** ISO 8601, of the upgrade. */
  readonly upgraded: string
  /** Backup of what it is now; `null`: none. */
  readonly save: { readonly key: string; readonly target: string; readonly secrets: boolean } | null
  /** Whether it runs, or should: then it runs afterwards. */
  readonly runs: boolean
  /** For an instance with processes, when its data stay. */
  readonly handing: Handing | null
  readonly windowMs: number
  /** What is lost, in sentences. */
  readonly losses: readonly string[]
}

/**
 * Puts an instance back to what it was before its last upgrade: application, version and revision, and, when that upgrade
 * took a snapshot, settings, documents and data. What it was meanwhile is saved first, when it is stopped, so that
 * nothing that was written until then is missing in it. `upgradeall` leaves out the revision that it went back from.
 */
export const rollbackKind: OperationKind<RollbackRequest, RollbackFacts> = {
  kind: 'rollback',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name, save }, context) {
    const { home, registry, settings, runtimes } = context
    const instance = existing(registry, { id, name })
    const point = await neededPoint(context, instance)
    const { folder } = home.instance(id)
    const { state } = await runtimes.of(instance).observe({ id, folder })
    const facts = {
      name: instance.name,
      folder,
      point: point.folder,
      hasData: point.hasData,
      upgraded: point.created,
      before: versionOf(instance),
      after: versionOf(point.from),
      runs: instance.desired === 'started' || isRunning(state),
      windowMs: settings.global.healthWindowMs,
    }
    if (!point.hasData) {
      const app = applicationOf(point.folder)
      await checkSpace(home.folder, (await folderSize(app)) * 2)
      const handing = isRunning(state) ? await handingOf(context, instance, app) : null
      return { ...facts, save: null, handing, losses: [] }
    }
    unprotected({ id, name }, 'rolled back', context)
    await reachDatabaseServer(context, instance.database)
    await requireOwnDatabaseOf(context, instance)
    await checkSpace(home.folder, plainBytes((await needManifest(snapshotOf(point.folder))).files))
    const secrets = isEncrypting(settings.global.backupEncryption)
    const saved = save ? { ...(await newBackup(context, instance)), secrets } : null
    return { ...facts, save: saved, handing: null, losses: await lossNotes(context, instance, point) }
  },
  plan: planRollback,
}

async function neededPoint(context: ManagerContext, instance: Instance): Promise<RestorePoint> {
  const point = await pointOf(context, instance)
  if (point) return point
  const days = context.settings.global.restorePointDays
  throw new ManagerError('ERR_STATE', `"${instance.name}" has no restore point for its current application.`, {
    help:
      days === 0
        ? 'Restore points are disabled (APPS_RESTOREPOINTDAYS=0). Restore a backup instead.'
        : `Each upgrade leaves one for ${days} days (APPS_RESTOREPOINTDAYS). Restore a backup instead.`,
    command: `backups list ${instance.name}`,
  })
}

function versionOf({ version, versionDate, revision, installedVersion = '' }: InstanceVersion): InstanceVersion {
  return { version, versionDate, revision, installedVersion }
}

function planRollback({ id }: RollbackRequest, facts: RollbackFacts): Plan {
  const { name, hasData, before, after, upgraded, save, handing } = facts
  return {
    title: `Roll back instance "${name}" to ${after.version} of ${after.versionDate.slice(0, 10)}`,
    instance: { id, name },
    steps: hasData ? dataSteps({ id, name }, facts) : applicationSteps({ id, name }, facts),
    notes: hasData
      ? [
          `Application, settings, documents and data are restored to their state before the upgrade of ${upgraded}.`,
          ...facts.losses,
          'Documents added or changed since are also lost. Their number is unknown.',
          save
            ? `The current state is backed up first: ${save.key}.`
            : 'The current state is not backed up first, so this cannot be undone.',
          'There is downtime during the rollback.',
        ]
      : [
          `The upgrade of ${upgraded} changed no data, so only the application is rolled back, and nothing is lost.`,
          ...(handing ? [gapNote(handing)] : []),
        ],
    commit(registry, { operation }) {
      registry.releasePorts(operation)
      registry.updateInstance(id, { heldRevision: before.revision })
    },
  }
}

function dataSteps(
  instance: { readonly id: string; readonly name: string },
  { folder, point, before, after, save, runs, windowMs }: RollbackFacts,
): readonly Step[] {
  const backup = snapshotOf(point)
  const data = { instance, folder, backup, parts: 'all' } as const
  return [
    ...layOutBackupSteps(data),
    stopToStartStep({ instance, folder }),
    ...(save
      ? saveSteps({
          instance,
          folder,
          target: save.target,
          backup: save.key,
          suspend: false,
          secrets: save.secrets,
          encrypt: true,
        })
      : []),
    swapStep(data),
    oldSettingsStep(folder, backup),
    versionStep(instance.id, after, before),
    ...(runs ? [watchedStartStep(instance, folder, windowMs)] : []),
    removeOldStep({ instance }),
  ]
}

/** The data are those of both versions. */
function applicationSteps(
  instance: { readonly id: string; readonly name: string },
  { folder, point, before, after, runs, handing, windowMs }: RollbackFacts,
): readonly Step[] {
  const template = applicationOf(point)
  const version = versionStep(instance.id, after, before)
  if (handing?.gap === null) return [version, ...upgradeBesideSteps({ instance, folder, template, handing, windowMs })]
  const stop = stopToStartStep({ instance, folder })
  return [
    besideStep(folder, template),
    handing ? tellGap(stop, handing) : stop,
    switchStep(folder),
    version,
    ...(runs ? [watchedStartStep(instance, folder, windowMs)] : []),
    removeOldApplicationStep(folder),
  ]
}

function watchedStartStep(
  instance: { readonly id: string; readonly name: string },
  folder: string,
  windowMs: number,
): Step {
  return {
    ...startStep({ instance, folder, windowMs }),
    title: `Start the old version and watch its health for ${windowMs / 1000} s`,
  }
}

/**
 * Settings as they were, but for its address and its database, which is another one now; and what was set to send
 * nothing out does not start to. `restore-swap` puts the present ones back when this is undone.
 */
function oldSettingsStep(folder: string, backup: string): Step {
  return {
    id: 'settings',
    title: 'Restore its settings',
    async do(run) {
      const { settings } = run.context
      const before = await settingsOfPoint(backup, await needManifest(backup), run.context)
      if (!before) return
      const { old } = restoreWorkOf(run)
      const file = instanceHomeAt(folder).settings
      if (!existsSync(old.settings)) await linkTo(file, old.settings)
      const now = await settings.instance(folder)
      const { context, url, database, databaseHost, databasePort, databaseSid } = now
      const { databaseName, databaseUser, databasePassword } = now
      const server = { database, databaseHost, databasePort, databaseSid }
      const kept = { context, url, ...server, databaseName, databaseUser, databasePassword }
      await settings.writeInstance(folder, {
        ...before,
        ...kept,
        ...((now.neutralised || before.neutralised) && { neutralised: true }),
      })
    },
    check: () => 'not-done',
  }
}
