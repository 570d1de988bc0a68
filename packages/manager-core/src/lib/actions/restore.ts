import { ManagerError } from '../../errors.js'
import type { ActionResult, Option } from '../action.js'
import { lastPart } from '../backup/choose-backup.js'
import { fetchBackup } from '../backup/copies/fetch-backup.js'
import { findCopy } from '../backup/copies/list-copies.js'
import type { RemoteBackup } from '../backup/copies/remote-backup.js'
import { newerAway, type BackupAway } from '../backup/known-backups.js'
import type { Backup } from '../backup/backup.js'
import { isIdFree } from '../backup/free-id.js'
import { needManifest, storedBytes } from '../backup/manifest.js'
import { recreateKind } from '../backup/recreate.js'
import { restoreKind, type RestoreRequest } from '../backup/restore.js'
import { namingOthers, remoteOrigin, withManifestOnly, type Origin } from '../backup/restore-origin.js'
import type { ManagerContext } from '../context.js'
import { databaseTypes } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { sizeText } from '../domain/readable.js'
import { wireInstance } from '../instances/wire-instance.js'
import { urlOf } from '../settings/public-url.js'
import { defineAction, type CallOf } from './define-action.js'
import { runOperation, withPurge } from './run-operation.js'
import { nameOfBackup } from './shared-inputs.js'

const options = [
  {
    name: 'from',
    type: 'text',
    summary:
      'Backup, or the prefix of its name, or <other name>/<backup>; at a target <target> or <target>:<backup> ' +
      '(default: the latest local one)',
  },
  { name: 'as', type: 'new-name', summary: 'Create a new instance with this name instead' },
  {
    name: 'only',
    type: 'choice',
    choices: ['data', 'app'],
    summary: 'Restore only the data (with the database), or only the application',
  },
  {
    name: 'database',
    type: 'choice',
    choices: databaseTypes,
    summary: 'Database type of the new instance (default: that of the backup)',
  },
  {
    name: 'runtime',
    type: 'runtime',
    summary: 'Runtime of the new instance (default: that of the backup, if available here)',
  },
  {
    name: 'other-instance',
    type: 'flag',
    summary: 'Allow the backup of another instance, which --from names in full: <name>/<backup>',
  },
  { name: 'discard', type: 'flag', summary: 'Delete the current contents permanently, skip the trash' },
  {
    name: 'allow-newer',
    type: 'flag',
    summary: 'Allow a backup of a newer version than the instance, or than all versions here',
  },
] as const satisfies readonly Option[]

type RestoreCall = CallOf<typeof nameOfBackup | (typeof options)[number]>

export const restore = defineAction({
  name: 'restore',
  group: 'Backups',
  summary: 'Restore an instance from a backup, or create a new one from it',
  description:
    'Reads every byte of the backup before it changes anything; a backup at a target is first fetched into ' +
    'APPS_SAVE_DIR. A running instance is stopped for the switch and started again; if that fails, the restore ' +
    'is rolled back. The previous contents stay in the trash for APPS_TRASHDAYS; to restore them under another ' +
    'name, use undelete (--only app does not keep the application). A deleted instance is created again under ' +
    'its name, and --as creates a copy under another name; both get a new port, and new secrets unless it is the ' +
    'same instance, backed up with --with-secrets. Users in the data keep their passwords. Refused are: a ' +
    'protected instance; a backup of another instance, including an earlier one of the same name; data that is ' +
    'newer than the application that stays, or an application that is older than the data that stays (--only); ' +
    'and a version newer than that of the instance, or than all versions here.',
  parameters: [nameOfBackup],
  options,
  ability: 'admin',
  mutating: true,
  destructive: 'The backup will replace all current contents of "{name}".',
  harmlessWith: 'as',
  examples: [
    'restore demo',
    'restore demo --from 20261121T030000Z',
    'restore demo --from scp:latest --dry-run',
    'restore demo --as demo2',
    'restore demo --only data',
  ],
  view: { type: 'record' },
  async handler(call) {
    const { context, input, caller } = call
    const name = input.name
    const from = input.from
    const remote = remoteOrigin(context, from)
    let key: string | undefined
    return namingOthers(
      context,
      () => ({ name, key, target: remote?.target }),
      async () => {
        if (!remote) {
          const backup = await localBackup(context, name, from)
          key = backup.key
          const passedOver =
            from === undefined ? [...(await newerDamaged(context, name, key)), ...(await newerAtTarget(call, key))] : []
          const result = await restoreFrom(call, backup)
          return { ...result, warnings: [...passedOver, ...(result.warnings ?? [])] }
        }
        const copy = await findCopy(context, name, remote, { signal: caller.signal })
        key = copy.key
        // What is refused is refused before many bytes have come.
        const planned = await withManifestOnly(copy, (origin) =>
          restoreFrom({ ...call, caller: { ...caller, dryRun: true } }, origin),
        )
        if (caller.dryRun) return withFetch(planned, copy)
        const { backup, wasHere } = await fetchBackup(context, caller, copy)
        const result = await restoreFrom(call, backup)
        if (!wasHere) return result
        const used = `${backup.key} is available locally and was restored from there; the copy at "${copy.target}" was not read.`
        return { ...result, warnings: [used, ...(result.warnings ?? [])] }
      },
    )
  },
})

/** A dry run says what comes before the operation. */
function withFetch({ plan, ...planned }: ActionResult, { manifest, target }: RemoteBackup): ActionResult {
  const bytes = storedBytes(manifest.files)
  const note = `The backup is fetched from "${target}" first (${sizeText(bytes)}).`
  return { ...planned, ...(plan && { plan: { ...plan, notes: [note, ...plan.notes] } }) }
}

/** @throws ManagerError that says how to restore the latest, when it is at a target only */
async function localBackup(context: ManagerContext, name: string, from = 'latest'): Promise<Backup> {
  try {
    return await context.backups.find(name, from)
  } catch (error) {
    if (!ManagerError.is(error) || error.code !== 'ERR_NOT_FOUND' || from !== 'latest') throw error
    const away = await newerAway(context, name)
    if (!away) throw error
    throw new ManagerError('ERR_NOT_FOUND', error.message, { command: restoreAway(name, away), cause: error })
  }
}

/** Known before anything is replaced. */
async function newerAtTarget({ context, input, caller }: RestoreCall, key: string): Promise<readonly string[]> {
  const away = await newerAway(context, input.name, key)
  if (!away) return []
  const text =
    `A newer backup, ${away.id}, is at "${away.target}" only; this is about ${key}. ` +
    `To restore the newer one: manager ${restoreAway(input.name, away)}`
  caller.onEvent?.({ type: 'warning', text })
  return [text]
}

function restoreAway(name: string, { id, target }: BackupAway): string {
  return `restore ${name} --from ${target}:${id}`
}

/** What `latest` did not mean. */
async function newerDamaged({ backups }: ManagerContext, name: string, key: string): Promise<readonly string[]> {
  const damaged = (await backups.damaged({ name })).filter((one) => lastPart(one.key) > lastPart(key))
  return damaged.map((one) => `Skipped the newer backup ${one.key}. ${one.message}`)
}

async function restoreFrom(call: RestoreCall, backup: Origin): Promise<ActionResult> {
  const { context, input } = call
  const instance = context.registry.find(input.name)
  const as = input.as
  if (!instance || as !== undefined) return recreate(call, backup, as ?? input.name, as === undefined)
  if (input.database !== undefined)
    throw new ManagerError('ERR_USAGE', '--database needs a new instance: name it with --as.', {
      command: 'restore --help',
    })
  if (input.runtime !== undefined)
    throw new ManagerError('ERR_USAGE', '--runtime needs a new instance. For an existing one, use move.', {
      command: 'move --help',
    })
  const { id, name } = instance
  const parts: RestoreRequest['parts'] = input.only ?? 'all'
  const request = {
    id,
    name,
    backup: backup.folder,
    parts,
    allowNewer: input['allow-newer'],
    otherInstance: input['other-instance'],
    discard: input.discard,
  }
  const result = await runOperation(call, restoreKind, request, ({ outcomes }) => {
    const kept = outcomes.get('restore-old') as { readonly entry: string } | undefined
    const way = kept ? ` The previous contents are in the trash: undelete ${kept.entry} --as <name>` : ''
    return {
      message: `Instance "${name}" is restored from ${backup.key}.${way}`,
      item: wireInstance(context.registry.byId(id) ?? context.registry.get(name), context.settings.global),
    }
  })
  return withPurge(call, result)
}

async function recreate(
  call: RestoreCall,
  { folder, key }: Origin,
  name: string,
  sameInstance: boolean,
): Promise<ActionResult> {
  const { context, input } = call
  if (input.only !== undefined)
    throw new ManagerError('ERR_USAGE', '--only needs an existing instance; a new one needs data and application.', {
      command: 'restore --help',
    })
  const database = input.database ?? null
  const allowNewer = input['allow-newer']
  const { instance } = await needManifest(folder)
  const id =
    sameInstance && (await isIdFree(context, instance, database ?? instance.database)) ? instance.id : randomId()
  const runtime = input.runtime ?? null
  const request = { id, name, backup: folder, key, database, runtime, sameInstance, allowNewer }
  const result = await runOperation(call, recreateKind, request, () => {
    const made = context.registry.get(name)
    const state = made.desired === 'started' ? `started: ${urlOf(made)}` : 'there, stopped'
    return {
      message: `Instance "${name}" (from ${key}) is ${state}`,
      item: wireInstance(made, context.settings.global),
    }
  })
  return call.caller.dryRun ? { ...result, losesNothing: true } : result
}
