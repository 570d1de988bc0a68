import { ManagerError } from '../../errors.js'
import { compareVersions } from '../domain/versions.js'
import { reachDatabaseServer } from '../instances/database-step.js'
import { existing } from '../instances/existing.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { versionStep, type InstanceVersion } from '../instances/version-step.js'
import type { OperationKind, Plan } from '../operation/operation.js'
import { startStep, stopStep } from '../operation/steps/runtime-steps.js'
import { databaseFileOf } from './database-of-backup.js'
import { needManifest } from './manifest.js'
import { createRestoreDataSteps, dropOldStep } from './restore-data-steps.js'

export type RestoreRequest = {
  readonly id: string
  readonly name: string
  /** Folder of the backup: absolute. */
  readonly backup: string
  readonly parts: 'all' | 'data' | 'app'
}

type RestoreFacts = {
  readonly name: string
  readonly folder: string
  /** Last part of the backup's key. */
  readonly backup: string
  readonly saved: string
  readonly before: InstanceVersion
  readonly after: InstanceVersion
}

/** Puts what a backup holds in the place of what an instance has; the instance is stopped for the switch only. */
export const restoreKind: OperationKind<RestoreRequest, RestoreFacts> = {
  kind: 'restore',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name, backup, parts }, context) {
    const instance = existing(context.registry, { id, name })
    const manifest = await needManifest(backup)
    if (parts !== 'all') checkFits(instance, manifest.instance, parts)
    const { file, kind } = databaseFileOf(manifest)
    if (parts !== 'app') {
      await reachDatabaseServer(context, instance.database)
      if (kind !== 'portable' && kind !== instance.database) await reachDatabaseServer(context, kind)
    }
    const bytes = manifest.files.reduce((sum, { plainSize }) => sum + plainSize, 0)
    await checkSpace(context.home.folder, parts === 'app' ? bytes - file.plainSize : bytes)
    const versionOf = ({ version, versionDate, revision }: InstanceVersion) => ({ version, versionDate, revision })
    return {
      name: instance.name,
      folder: context.home.instance(id).folder,
      backup: manifest.id,
      saved: manifest.started,
      before: versionOf(instance),
      after: versionOf(parts === 'data' ? instance : manifest.instance),
    }
  },
  plan: planRestore,
}

function planRestore({ id, backup, parts }: RestoreRequest, facts: RestoreFacts): Plan {
  const { name, folder, before, after } = facts
  const instance = { id, name }
  const steps = createRestoreDataSteps({ instance, folder, backup, parts })
  const what = { all: 'What it holds', data: 'Its data', app: 'Its application' }[parts]
  return {
    title: `Restore instance "${name}" from ${facts.backup}${parts === 'all' ? '' : ` (${parts} only)`}`,
    instance,
    steps: [
      ...steps.slice(0, -1),
      stopStep({ instance, folder }),
      ...steps.slice(-1),
      versionStep(id, after, before),
      startStep({ instance, folder, stopStepId: 'stop' }),
      dropOldStep({ instance }),
    ],
    notes: [`${what} now is replaced by what was saved at ${facts.saved}.`],
  }
}

/** @throws ManagerError ERR_STATE: data of a newer version than the application, or an application older than the data. */
function checkFits(
  { name, version }: { readonly name: string; readonly version: string },
  saved: { readonly version: string },
  parts: 'data' | 'app',
): void {
  const difference = compareVersions(saved.version, version)
  if (parts === 'data' ? difference <= 0 : difference >= 0) return
  throw new ManagerError(
    'ERR_STATE',
    parts === 'data'
      ? `The data is of version ${saved.version}, and "${name}" has version ${version}, which is older.`
      : `The application is of version ${saved.version}, and the data of "${name}" of version ${version}, which is newer.`,
    { help: 'Restore application and data together, without --only.' },
  )
}
