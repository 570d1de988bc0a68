import { ManagerError } from '../../errors.js'
import type { ActionResult, Option } from '../action.js'
import { lastPart } from '../backup/choose-backup.js'
import { fetchBackup } from '../backup/copies/fetch-backup.js'
import { findCopy } from '../backup/copies/list-copies.js'
import type { RemoteBackup } from '../backup/copies/remote-backup.js'
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
      'Backup, or the beginning of its name, or <other name>/<backup>; at a target <target> or <target>:<backup> ' +
      '(default: the latest one here)',
  },
  { name: 'as', type: 'new-name', summary: 'Make a new instance of this name instead' },
  {
    name: 'only',
    type: 'choice',
    choices: ['data', 'app'],
    summary: 'Only data (with database), or only application',
  },
  {
    name: 'database',
    type: 'choice',
    choices: databaseTypes,
    summary: 'Type of the database of an instance that is made (default: as it was)',
  },
  {
    name: 'runtime',
    type: 'runtime',
    summary: 'What runs an instance that is made (default: what ran it, where that can be used)',
  },
  {
    name: 'other-instance',
    type: 'flag',
    summary: 'Also when the backup belongs to another instance, which --from names as a whole: <name>/<backup>',
  },
  { name: 'discard', type: 'flag', summary: 'Keep nothing in the trash of what the instance holds now' },
  {
    name: 'allow-newer',
    type: 'flag',
    summary: 'Also when it is of a newer version than the instance, or than all that are here',
  },
] as const satisfies readonly Option[]

type RestoreCall = CallOf<typeof nameOfBackup | (typeof options)[number]>

export const restore = defineAction({
  name: 'restore',
  group: 'Backups',
  summary: 'Put an instance back to what a backup holds, or make a new one of it',
  description:
    'Every byte of the backup is read before anything is touched; one at a target is fetched into APPS_SAVE_DIR before, ' +
    'when nothing speaks against the rest. An instance that runs is stopped for the switch and ' +
    'started again; when that fails, all is put back as it was. What it held is kept in the trash for APPS_TRASHDAYS, and ' +
    'undelete brings it back under another name (with --only app the application is not kept). An instance that is gone is made again under its name, ' +
    'with --as a copy under another name; both get another port, and new secrets unless it is the same one, saved ' +
    '--with-secrets; the users in their data keep their passwords. Refused are: an instance that is protected; the backup of another instance (also one that had ' +
    'the name before); data of ' +
    'a newer version than the application that stays, or an application that is older than the data that stays (--only); ' +
    'a version newer than that of the instance, or than all that are here.',
  parameters: [nameOfBackup],
  options,
  ability: 'admin',
  mutating: true,
  destructive: 'What "{name}" holds now will be replaced by what the backup holds.',
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
          const backup = await context.backups.find(name, from ?? 'latest')
          key = backup.key
          const passedOver = from === undefined ? await newerDamaged(context, name, key) : []
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
        const used = `${backup.key} was here already and was restored from here; the copy at "${copy.target}" was not read.`
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

/** What `latest` did not mean. */
async function newerDamaged({ backups }: ManagerContext, name: string, key: string): Promise<readonly string[]> {
  const damaged = (await backups.damaged({ name })).filter((one) => lastPart(one.key) > lastPart(key))
  return damaged.map((one) => `${one.key}, which is newer, was passed over. ${one.message}`)
}

async function restoreFrom(call: RestoreCall, backup: Origin): Promise<ActionResult> {
  const { context, input } = call
  const instance = context.registry.find(input.name)
  const as = input.as
  if (!instance || as !== undefined) return recreate(call, backup, as ?? input.name, as === undefined)
  if (input.database !== undefined)
    throw new ManagerError('ERR_USAGE', '--database is for an instance that is made: name it with --as.', {
      command: 'restore --help',
    })
  if (input.runtime !== undefined)
    throw new ManagerError('ERR_USAGE', '--runtime is for an instance that is made; move is for one that is there.', {
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
    const way = kept ? ` What it held before is in the trash: undelete ${kept.entry} --as <name>` : ''
    return {
      message: `Instance "${name}" is as it was saved: ${backup.key}.${way}`,
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
    throw new ManagerError('ERR_USAGE', '--only is for an instance that is there; a new one needs both.', {
      command: 'restore --help',
    })
  const database = input.database ?? null
  const allowNewer = input['allow-newer']
  const { instance } = await needManifest(folder)
  const id =
    sameInstance && (await isIdFree(context, instance, database ?? instance.database)) ? instance.id : randomId()
  const runtime = input.runtime ?? null
  const request = { id, name, backup: folder, key, database, runtime, sameInstance, allowNewer }
  return runOperation(call, recreateKind, request, () => {
    const made = context.registry.get(name)
    const state = made.desired === 'started' ? `started: ${urlOf(made)}` : 'there, stopped'
    return {
      message: `Instance "${name}" (from ${key}) is ${state}`,
      item: wireInstance(made, context.settings.global),
    }
  })
}
