import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkName } from '../domain/names.js'
import type { DatabaseType } from '../domain/instance.js'
import type { NewInstance } from '../instances/creation.js'
import { databaseStep, reachDatabaseServer } from '../instances/database-step.js'
import { defineStep } from '../instances/define-step.js'
import { checkNameFree, checkSpace } from '../instances/inspect-creation.js'
import { freePort } from '../instances/ports.js'
import { checkLimit, reserveStep } from '../instances/reserve-step.js'
import { settingsStep } from '../instances/settings-step.js'
import { placeStep, stageOf } from '../instances/stage.js'
import type { OperationKind, Plan, Step } from '../operation/operation.js'
import { startStep } from '../operation/steps/runtime-steps.js'
import { databaseFileOf, dropTemporary, fillDatabase } from './database-of-backup.js'
import { needManifest } from './manifest.js'
import { verifyStep } from './restore-data-steps.js'
import { unpackFiles } from './unpack-files.js'

export type RecreateRequest = {
  /** Of the new instance. */
  readonly id: string
  readonly name: string
  /** Folder of the backup: absolute. */
  readonly backup: string
  readonly key: string
  /** `null`: the one that it had. */
  readonly database: DatabaseType | null
  /** It is the one that was saved, and is gone: its flags and custom URL come back. Else it is a copy. */
  readonly sameInstance: boolean
}

type RecreateFacts = {
  readonly row: NewInstance
  readonly folder: string
  readonly kind: DatabaseType | 'portable'
}

/** Makes an instance of a backup, with new secrets, a new port and a database of its own. */
export const recreateKind: OperationKind<RecreateRequest, RecreateFacts> = {
  kind: 'recreate',
  locks: ({ id, name }) => [`name:${name.toLowerCase()}`, `instance:${id}`],
  async inspect({ id, name, backup, key, database, sameInstance }, context) {
    const manifest = await needManifest(backup)
    checkName(name)
    checkNameFree(name, context)
    checkLimit(context)
    await freePort(context)
    const { kind } = databaseFileOf(manifest)
    const type = database ?? manifest.instance.database
    await reachDatabaseServer(context, type)
    if (kind !== 'portable' && kind !== type) await reachDatabaseServer(context, kind)
    await checkSpace(
      context.home.folder,
      manifest.files.reduce((sum, { plainSize }) => sum + plainSize, 0),
    )
    const { updated: _updated, ...saved } = manifest.instance
    const row: NewInstance = {
      ...saved,
      id,
      name,
      database: type,
      source: `backup:${key}`,
      created: context.clock().toISOString(),
      ...(!sameInstance && { protected: false, autoSave: false, autoUpdate: false, customUrl: '' }),
    }
    return { row, folder: context.home.instance(id).folder, kind }
  },
  plan: planRecreate,
}

function planRecreate({ backup, key }: RecreateRequest, { row, folder, kind }: RecreateFacts): Plan {
  const { id, name, desired, database } = row
  const instance = { id, name }
  return {
    title: `Make instance "${name}" of the backup ${key} (version ${row.version}, ${database})`,
    instance,
    steps: [
      verifyStep({ backup }),
      reserveStep(row),
      unpackStep(backup),
      settingsStep({ row }),
      databaseStep({ row }),
      fillStep(row, backup, kind),
      placeStep({ folder }),
      defineStep({ row, folder }),
      ...(desired === 'started' ? [startStep({ instance, folder })] : []),
    ],
    notes: ['It gets new secrets and a port of its own; the users in its data keep their passwords.'],
    commit: (registry) => registry.updateInstance(id, { desired }),
  }
}

function unpackStep(backup: string): Step {
  return {
    id: 'layout',
    title: 'Unpack application and files',
    async do(run) {
      const stage = stageOf(run)
      await unpackFiles(run, { backup, manifest: await needManifest(backup), folder: stage.folder })
      for (const folder of [stage.app, stage.data, stage.logs, stage.run]) await mkdir(folder, { recursive: true })
      // Tokens of the instance that was saved must not hold in this one.
      await rm(join(stage.data, 'token.secret'), { force: true })
    },
    undo: (run) => rm(stageOf(run).folder, { recursive: true, force: true }),
    check: () => 'not-done',
  }
}

function fillStep({ id, database }: NewInstance, backup: string, kind: DatabaseType | 'portable'): Step {
  const temporary = `steward_${id}_t`
  return {
    id: 'data',
    title: 'Restore its database',
    async do(run) {
      const { folder } = stageOf(run)
      await fillDatabase(run, {
        backup,
        manifest: await needManifest(backup),
        to: { folder, settings: await run.context.settings.instance(folder) },
        temporary: { folder, name: temporary },
      })
    },
    async undo({ context }) {
      if (kind !== database) await dropTemporary(context, kind, temporary)
    },
    check: () => 'not-done',
  }
}
