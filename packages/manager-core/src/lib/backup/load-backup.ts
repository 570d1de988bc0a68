import { getsAccount } from '../accounts/why-not.js'
import type { ManagerContext, OperationKind } from '../context.js'
import { thisHost, type DatabaseType } from '../domain/instance.js'
import type { NewInstance } from '../instances/creation.js'
import { placeStep } from '../instances/stage.js'
import { removeThrowAwaySteps, throwAwayRow } from '../instances/throw-away.js'
import type { Manifest } from './backup.js'
import { compareRowsStep } from './compare-rows-step.js'
import { databaseFileOf } from './database-of-backup.js'
import { needManifest } from './manifest.js'
import { inspectRecreation, recreateSteps } from './recreate-steps.js'
import { savedInstance } from './saved-instance.js'

export type LoadRequest = {
  /** Id of the temporary instance; no other instance has it. */
  readonly id: string
  /** Folder of the backup: absolute. Its contents were just read. */
  readonly backup: string
  readonly key: string
  /** The instance that was saved; empty: it is gone. */
  readonly instance: string
}

type LoadFacts = {
  readonly row: NewInstance
  readonly folder: string
  readonly kind: DatabaseType | 'portable'
  /** Name and user of its database. */
  readonly names: { readonly name: string; readonly user: string }
  /** Name of the instance that was saved. */
  readonly saved: string
  readonly isolated: boolean
}

/**
 * Loads the dump of a backup into a database of the type that made it, which is there for this only, and counts its rows:
 * the part of `prove` that needs neither the files nor a start. All of it is removed, whatever the result is.
 */
export const verifyKind: OperationKind<LoadRequest, LoadFacts> = {
  kind: 'verify',
  worksBeside: true,
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, backup, key }, context) {
    const manifest = await needManifest(backup)
    const database = typeOf(manifest)
    const kind = await inspectRecreation(context, manifest, database)
    const { updated: _updated, ...saved } = savedInstance(manifest)
    const created = context.clock().toISOString()
    const row = throwAwayRow(
      { ...saved, database, runtime: saved.runtime ?? 'process', host: thisHost },
      { id, source: `prove:${key}`, created },
    )
    const names = context.databases.names(database, id)
    const { folder } = context.home.instance(id)
    return { row, folder, kind, names, saved: saved.name, isolated: getsAccount(context) }
  },
  plan({ id, backup, key, instance }, { row, folder, kind, names, saved, isolated }) {
    return {
      title: `Load the database of the backup ${key}`,
      instance: { id: instance || id, name: saved },
      steps: [
        ...recreateSteps({ row, backup, kind, sameInstance: false, isolated, databaseOnly: true }),
        compareRowsStep({ row, backup }),
        placeStep({ folder }),
        ...removeThrowAwaySteps({ row, folder, names, isolated, isUndefined: true }),
      ],
      notes: ['Loads the dump into a temporary database, which is removed afterwards.'],
      commit: (registry) => registry.deleteInstance(id),
    }
  },
}

/**
 * Whether a database for the dump can be had here.
 *
 * @throws ManagerError why not: ERR_DATABASE, ERR_STATE, ERR_LIMIT, ERR_DISK, ERR_SETTINGS
 */
export async function checkLoadable(context: ManagerContext, manifest: Manifest): Promise<void> {
  await inspectRecreation(context, manifest, typeOf(manifest))
  getsAccount(context)
}

function typeOf(manifest: Manifest): DatabaseType {
  const { kind } = databaseFileOf(manifest)
  return kind === 'portable' ? savedInstance(manifest).database : kind
}
