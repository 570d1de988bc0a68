import { ManagerError } from '../../errors.js'
import { isIdFree } from '../backup/free-id.js'
import { storedBytes } from '../backup/manifest.js'
import { recreateKind } from '../backup/recreate.js'
import { fetchBackup } from '../backup/copies/fetch-backup.js'
import { listCopies } from '../backup/copies/list-copies.js'
import type { RemoteBackup } from '../backup/copies/remote-backup.js'
import { savedInstance } from '../backup/saved-instance.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { formerRuntime, isThrowAway, thisHost, type Instance } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { sizeText } from '../domain/readable.js'
import { forEachInstance, type Done } from '../operation/for-each-instance.js'
import { ofSeveral } from '../operation/of-several.js'
import { recovered, type Recovered } from './recovered.js'

export interface InstancesOptions {
  readonly target: string
  /** The saved registry's instances; undefined: there is none, and all that has a backup is brought back. */
  readonly saved: { readonly instances: readonly Instance[]; readonly at: string } | undefined
  readonly dryRun: boolean
}

interface Restored extends Done {
  readonly message: string
}

/** Makes each instance that is not here again, of its newest backup that is good; what is here is left alone. */
export async function bringBackInstances(
  context: ManagerContext,
  caller: Caller,
  { target, saved, dryRun }: InstancesOptions,
): Promise<{ readonly rows: readonly Recovered[]; readonly warnings: readonly string[] }> {
  const { backups, damaged } = await listCopies(context, target, { signal: caller.signal })
  const copies = Map.groupBy(backups, ({ manifest }) => manifest.instance.id)
  const known = (saved?.instances ?? []).filter((instance) => !isThrowAway(instance))
  const knownIds = new Set(known.map(({ id }) => id))
  const others = [...copies].flatMap(([id, [newest]]) => (newest && !knownIds.has(id) ? [newest] : []))
  const isNew = ({ manifest }: RemoteBackup) => saved === undefined || manifest.started > saved.at
  const found = others.filter(isNew).map((copy) => {
    try {
      return { copy, instance: instanceOf(copy) }
    } catch (error) {
      return { copy, error: error as Error }
    }
  })
  const wanted = [...known, ...found.flatMap(({ instance }) => instance ?? [])]
  const { registry } = context
  const isHere = ({ id, name }: Instance) => registry.byId(id) !== undefined || registry.find(name) !== undefined
  const missing = wanted.filter((instance) => !isHere(instance))

  const { entries, warnings } = dryRun
    ? { entries: missing.map((instance) => planned(instance, copies.get(instance.id))), warnings: [] }
    : await forEachInstance<Restored, Recovered>(context, caller, {
        instances: missing,
        noun: 'recovery',
        titleOf: (name) => `Bring "${name}" back`,
        parallel: context.settings.global.saveAllParallel,
        now: true,
        run: (instance, of) =>
          restore(context, of, { instance, isKnown: knownIds.has(instance.id), copies: copies.get(instance.id) ?? [] }),
        entryOf: ({ name }, { result, message, done }) =>
          recovered('instance', name, result === 'done' ? 'restored' : 'failed', done?.message ?? message),
        onFailure: async () => [],
      })
  const rows = [
    ...entries,
    ...wanted.filter((instance) => !missing.includes(instance)).map(({ name }) => recovered('instance', name, 'there')),
    ...found.flatMap(({ copy, error }) => (error ? [recovered('instance', copy.key, 'failed', error.message)] : [])),
    ...others
      .filter((copy) => !isNew(copy))
      .map(({ key, manifest }) =>
        recovered('instance', manifest.instance.name, 'left out', `It was deleted before; its backup ${key} stays.`),
      ),
  ]
  return { rows, warnings: [...damaged.map(({ error }) => error.message), ...warnings] }
}

function planned({ name }: Instance, copies: readonly RemoteBackup[] = []): Recovered {
  const [newest] = copies
  if (!newest) return recovered('instance', name, 'failed', noBackup)
  return recovered(
    'instance',
    name,
    'restored',
    `From ${newest.key} (${sizeText(storedBytes(newest.manifest.files))}).`,
  )
}

const noBackup = 'There is no backup of it at the target.'

/** As its backup says; a port is chosen anyhow. */
function instanceOf({ manifest }: RemoteBackup): Instance {
  const saved = savedInstance(manifest)
  return {
    ...saved,
    observed: 'stopped',
    operation: '',
    port: 0,
    proved: '',
    installedVersion: '',
    heldRevision: '',
    runtime: saved.runtime ?? formerRuntime,
    host: thisHost,
  }
}

interface RestoreOptions {
  readonly instance: Instance
  /** The saved registry has it: what it says is newer than the backup. */
  readonly isKnown: boolean
  /** Newest first. */
  readonly copies: readonly RemoteBackup[]
}

async function restore(
  context: ManagerContext,
  caller: Caller,
  { instance, isKnown, copies }: RestoreOptions,
): Promise<Restored> {
  const passedOver: string[] = []
  for (const copy of copies)
    try {
      const { backup } = await fetchBackup(context, caller, copy)
      const isFree = await isIdFree(context, instance, instance.database)
      const { warnings } = await context.operations.run(
        recreateKind,
        {
          id: isFree ? instance.id : randomId(),
          name: instance.name,
          backup: backup.folder,
          key: backup.key,
          database: null,
          sameInstance: true,
          allowNewer: true,
          ...(isKnown && { known: factsOf(instance), port: instance.port }),
        },
        ofSeveral(caller),
      )
      const port = context.registry.get(instance.name).port
      const changed = [
        ...(isKnown && port !== instance.port ? [`Its port is ${port}, because ${instance.port} is in use.`] : []),
        ...(isFree ? [] : ['It has a new id. Its old database is still on the server, and is left alone.']),
      ]
      return { message: [`From ${copy.key}.`, ...passedOver, ...changed, ...warnings].join(' '), warnings: [] }
    } catch (error) {
      caller.signal?.throwIfAborted()
      if (!ManagerError.is(error) || !isDamage(error)) throw error
      passedOver.push(`Skipped ${copy.key}: ${error.message}`)
    }
  throw new ManagerError(
    'ERR_BACKUP',
    [...passedOver, copies.length === 0 ? noBackup : 'It has no good backup.'].join(' '),
  )
}

function isDamage({ code, cause }: ManagerError): boolean {
  return code === 'ERR_BACKUP' || (code === 'ERR_ROLLED_BACK' && ManagerError.is(cause) && isDamage(cause))
}

function factsOf({
  desired,
  autoUpdate,
  autoSave,
  customUrl,
  ownerEmail,
  firstname,
  lastname,
  phone,
  company,
  created,
  heldRevision,
  runtime,
  ...row
}: Instance) {
  return {
    desired,
    autoUpdate,
    autoSave,
    customUrl,
    ownerEmail,
    firstname,
    lastname,
    phone,
    company,
    created,
    heldRevision,
    runtime,
    protected: row.protected,
  }
}
