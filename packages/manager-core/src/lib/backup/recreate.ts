import { ManagerError } from '../../errors.js'
import { getsAccount } from '../accounts/why-not.js'
import type { ManagerContext, OperationKind, Plan } from '../context.js'
import { thisHost, type DatabaseType, type Instance } from '../domain/instance.js'
import { checkName } from '../domain/names.js'
import { checkNamedAddress, withOwnUrl } from '../instances/addresses.js'
import type { NewInstance } from '../instances/creation.js'
import { defineStep } from '../instances/define-step.js'
import { checkNameFree } from '../instances/inspect-creation.js'
import { checkLimit } from '../instances/reserve-step.js'
import { startStep } from '../instances/runtime-steps.js'
import { placeStep } from '../instances/stage.js'
import { checkKnown } from './check-version.js'
import { needManifest } from './manifest.js'
import { inspectRecreation, recreateSteps } from './recreate-steps.js'
import { savedInstance } from './saved-instance.js'
import { runtimeAgain } from './runtime-again.js'
import { checkKeys } from './verify-backup.js'

export type RecreateRequest = {
  /** Id of the new instance. */
  readonly id: string
  readonly name: string
  /** Folder of the backup: absolute. */
  readonly backup: string
  readonly key: string
  /** `null`: the one that it had. */
  readonly database: DatabaseType | null
  /** Absent, or `null`: what it had when that can be used here. */
  readonly runtime?: string | null
  /** It is the one that was saved, and is gone: its flags and custom URL come back. Else it is a copy. */
  readonly sameInstance: boolean
  /** Also an application that is newer than all versions here. */
  readonly allowNewer: boolean
  /** What is known of it beside, which is newer than the backup: flags, owner, addresses. Absent: nothing. */
  readonly known?: Partial<Omit<NewInstance, 'id' | 'name' | 'database' | 'version' | 'versionDate' | 'revision'>>
  /** Port that it gets when it is free. Absent: the lowest free one. */
  readonly port?: number
}

type RecreateFacts = {
  readonly row: NewInstance
  /** What a person should know of its custom URL, and of its runtime. */
  readonly note: string | null
  readonly folder: string
  readonly kind: DatabaseType | 'portable'
  /** It gets its old secrets again. */
  readonly secrets: boolean
  readonly isolated: boolean
}

/** Makes an instance of a backup, with a new port and a database of its own, and new secrets unless it is the one that was saved with them. */
export const recreateKind: OperationKind<RecreateRequest, RecreateFacts> = {
  kind: 'recreate',
  locks: ({ id, name }) => [`name:${name.toLowerCase()}`, `instance:${id}`],
  async inspect(
    { id, name, backup, key, database, runtime: wantedRuntime, sameInstance, allowNewer, known = {} },
    context,
  ) {
    const manifest = await needManifest(backup)
    await checkKeys(backup, manifest, context.settings.global.backupEncryption)
    checkName(name)
    if (sameInstance) checkGone(manifest.instance, name, context)
    checkNameFree(name, context)
    checkLimit(context)
    if (!allowNewer) await checkKnown(context, manifest.instance)
    const type = database ?? manifest.instance.database
    const kind = await inspectRecreation(context, manifest, type)
    const { updated: _updated, ...saved } = savedInstance(manifest)
    const { runtime: had = saved.runtime, ...facts } = known
    const { runtime, note: other } = await runtimeAgain(
      context,
      { runtime: had, version: manifest.instance.version, database: type },
      wantedRuntime ?? null,
    )
    const wanted: NewInstance = {
      ...saved,
      id,
      name,
      database: type,
      source: `backup:${key}`,
      proved: '',
      installedVersion: '',
      heldRevision: '',
      runtime,
      host: thisHost,
      created: context.clock().toISOString(),
      ...facts,
      ...(!sameInstance && { protected: false, autoSave: false, autoUpdate: false, customUrl: '' }),
    }
    const { row, note: address } = withOwnUrl(wanted, context)
    const note = [other, address].filter((text) => text !== null).join(' ') || null
    checkNamedAddress(row, context)
    const secrets = sameInstance && manifest.secrets === true
    return { row, note, folder: context.home.instance(id).folder, kind, secrets, isolated: getsAccount(context) }
  },
  plan: planRecreate,
}

/** What is there under another name is not made again. @throws ManagerError ERR_STATE */
function checkGone({ id }: Pick<Instance, 'id'>, name: string, { registry }: ManagerContext): void {
  const instance = registry.byId(id)
  if (!instance || instance.name.toLowerCase() === name.toLowerCase()) return
  throw new ManagerError(
    'ERR_STATE',
    `The instance of this backup, "${name}", still exists: it is now named "${instance.name}".`,
    {
      help: `Restore "${instance.name}", or create a copy under another name with --as.`,
      command: `backups list ${instance.name}`,
    },
  )
}

function planRecreate(request: RecreateRequest, { row, note, folder, kind, secrets, isolated }: RecreateFacts): Plan {
  const { backup, key, sameInstance, port } = request
  const { id, name, desired, database } = row
  const instance = { id, name }
  return {
    title: `Create instance "${name}" from the backup ${key} (version ${row.version}, ${database})`,
    instance,
    steps: [
      ...recreateSteps({ row, note, backup, kind, sameInstance, port, isolated }),
      placeStep({ folder }),
      defineStep({ row, folder }),
      ...(desired === 'started' ? [startStep({ instance, folder })] : []),
    ],
    notes: [
      `It gets ${secrets ? 'its old' : 'new'} secrets and a new port; the users in its data keep their passwords.`,
      ...(note === null ? [] : [note]),
    ],
    commit: (registry) => registry.updateInstance(id, { desired }),
  }
}
