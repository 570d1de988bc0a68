import { existsSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ManagerContext, OperationKind, Plan } from '../context.js'
import type { InstanceHome } from '../domain/home.js'
import type { Instance } from '../domain/instance.js'
import { reachDatabaseServer, requireOwnDatabaseOf } from '../instances/database-step.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { leftOf, leftStep, type Left } from '../instances/left-step.js'
import { moveToTrash } from '../instances/move-to-trash.js'
import { startStep, stopStep } from '../instances/runtime-steps.js'
import { unprotected } from '../instances/unprotected.js'
import { mountsIn } from '../system/mounts.js'
import { versionStep, type InstanceVersion } from '../instances/version-step.js'
import type { Manifest } from './backup.js'
import { checkFits, checkKnown, checkNotNewer } from './check-version.js'
import { databaseFileOf } from './database-of-backup.js'
import { copyApplicationStep, keepOldStep, type KeptState } from './keep-old-step.js'
import { needManifest, plainBytes } from './manifest.js'
import { layOutBackupSteps, removeOldStep, swapStep } from './restore-data-steps.js'
import { checkKeys } from './verify-backup.js'
import { savedInstance } from './saved-instance.js'

export type RestoreRequest = {
  readonly id: string
  readonly name: string
  /** Folder of the backup: absolute. */
  readonly backup: string
  readonly parts: 'all' | 'data' | 'app'
  /** Also an application that is newer than the instance's, or than all versions here. */
  readonly allowNewer: boolean
  /** Also the backup of another instance. Absent: no. */
  readonly otherInstance?: boolean
  /** What is there now is not kept in the trash. Absent: it is. */
  readonly discard?: boolean
}

type RestoreFacts = {
  readonly name: string
  readonly folder: string
  /** Last part of the backup's key. */
  readonly backup: string
  readonly saved: string
  /** Whose it is, when it is another instance's. */
  readonly other?: string
  readonly before: InstanceVersion
  readonly after: InstanceVersion
  /** null: what is there now is removed. */
  readonly kept: KeptState | null
  /** Absent: nothing. */
  readonly left?: Left
}

/** Puts what a backup holds in the place of what an instance has; the instance is stopped for the switch only. */
export const restoreKind: OperationKind<RestoreRequest, RestoreFacts> = {
  kind: 'restore',
  replacesAll: ({ parts }) => parts === 'all',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name, backup, parts, allowNewer, otherInstance = false, discard = false }, context) {
    const instance = unprotected({ id, name }, 'replaced by a backup', context)
    const manifest = await needManifest(backup)
    const other = manifest.instance.id === id ? undefined : describeOther(manifest, context)
    if (other !== undefined && !otherInstance)
      throw new ManagerError('ERR_STATE', `The backup ${manifest.id} belongs to ${other}, not to "${instance.name}".`, {
        help:
          `Create a new instance from it with --as, or replace the contents of "${instance.name}" with ` +
          '--other-instance.',
        command: `backups list ${instance.name}`,
      })
    await checkKeys(backup, manifest, context.settings.global.backupEncryption)
    if (parts !== 'all') checkFits(instance, manifest.instance, parts)
    if (parts !== 'data' && !allowNewer) await checkKnown(context, manifest.instance)
    if (parts === 'all' && !allowNewer) checkNotNewer(instance, manifest.instance)
    refuseMounts(context.home.instance(id), instance.name, parts)
    const { file, kind } = databaseFileOf(manifest)
    if (parts !== 'app') {
      await reachDatabaseServer(context, instance.database)
      if (parts === 'data' || discard) await requireOwnDatabaseOf(context, instance)
      if (kind !== 'portable' && kind !== instance.database) await reachDatabaseServer(context, kind)
    }
    const bytes = plainBytes(manifest.files)
    await checkSpace(context.home.folder, parts === 'app' ? bytes - file.plainSize : bytes)
    const versionOf = ({ version, versionDate, revision, installedVersion = '' }: InstanceVersion) => ({
      version,
      versionDate,
      revision,
      installedVersion,
    })
    const left = parts === 'all' ? leftOf(context, instance) : null
    return {
      name: instance.name,
      folder: context.home.instance(id).folder,
      backup: manifest.id,
      saved: manifest.started,
      ...(other !== undefined && { other }),
      before: versionOf(instance),
      after: versionOf(parts === 'data' ? instance : savedInstance(manifest)),
      kept: discard || parts === 'app' ? null : await keptState(context, instance),
      ...(left && { left }),
    }
  },
  plan: planRestore,
}

/** A folder that is replaced would take them along, into the trash, and the restored one would be on the disk of the home. */
function refuseMounts({ folder, app, data }: InstanceHome, name: string, parts: RestoreRequest['parts']): void {
  const replaced = { all: [app, data], data: [data], app: [app] }[parts]
  if (!existsSync(folder)) return
  const home = realpathSync(folder)
  const [mount] = mountsIn(replaced.map((each) => join(home, basename(each))))
  if (mount === undefined) return
  throw new ManagerError('ERR_STATE', `${mount} is mounted: a restore would replace the folder that it is in.`, {
    help:
      `Restore it under another name (--as), or stop "${name}", move the contents of ${mount} to the disk of the home, ` +
      'unmount it, and mount it again after the restore.',
  })
}

/** null: nothing is kept here (APPS_TRASHDAYS), or it was lost. */
async function keptState(context: ManagerContext, instance: Instance): Promise<KeptState | null> {
  const { trash, entry, record, lost } = await moveToTrash(context, instance, 'restore')
  return lost || record.expires <= record.deleted ? null : { trash, entry, record }
}

/** Another instance, for people: `another instance ("prod" then, "old" now)`. */
function describeOther({ instance: { id, name } }: Manifest, { registry }: ManagerContext): string {
  const now = registry.byId(id)?.name
  return `another instance (then "${name}", ${now === undefined ? 'now deleted' : `now "${now}"`})`
}

function planRestore({ id, backup, parts }: RestoreRequest, facts: RestoreFacts): Plan {
  const { name, folder, before, after, kept, left } = facts
  const instance = { id, name }
  const data = { instance, folder, backup, parts }
  const what = { all: 'Its contents', data: 'Its data', app: 'Its application' }[parts]
  return {
    title: `Restore instance "${name}" from ${facts.backup}${parts === 'all' ? '' : ` (${parts} only)`}`,
    instance,
    steps: [
      ...layOutBackupSteps(data),
      ...(kept && parts === 'data' ? [copyApplicationStep(folder)] : []),
      stopStep({ instance, folder }),
      swapStep(data),
      versionStep(id, after, before),
      startStep({ instance, folder, stopStepId: 'stop' }),
      kept ? keepOldStep(folder, kept) : removeOldStep({ instance }),
      ...(left ? [leftStep(left)] : []),
    ],
    notes: [
      `${what} is replaced by the backup of ${facts.saved}.`,
      kept
        ? `The current contents stay in the trash, and use disk space, until ${kept.record.expires}. To restore them ` +
          `under another name: undelete ${kept.entry} --as <name>`
        : 'The current contents are deleted permanently.',
      ...(facts.other === undefined
        ? []
        : [`This backup belongs to ${facts.other}. Its data replaces that of "${name}".`]),
    ],
  }
}
