import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import { accountAt } from '../accounts/account.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { giveHome } from '../accounts/give.js'
import { removeHome } from '../accounts/remove-tree.js'
import type { ManagerContext, Step, StepRun } from '../context.js'
import { tokenKey } from '../domain/home.js'
import type { DatabaseType } from '../domain/instance.js'
import { accountStep, madeAccount } from '../instances/account-step.js'
import type { NewInstance } from '../instances/creation.js'
import { databaseStep, reachDatabaseServer } from '../instances/database-step.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { freePort } from '../instances/ports.js'
import { reserveStep } from '../instances/reserve-step.js'
import { settingsStep } from '../instances/settings-step.js'
import { stageOf } from '../instances/stage.js'
import { whyNotReplaced } from '../templates/upgrade-needed.js'
import type { Manifest } from './backup.js'
import { databaseFileOf, dropTemporary, fillDatabase } from './database-of-backup.js'
import { filesBase, needFile, needManifest, plainBytes } from './manifest.js'
import { restoreDocuments } from './restore-documents.js'
import { verifyStep } from './restore-data-steps.js'
import { settingsOfBackup } from './settings-of-backup.js'
import { unpackFiles } from './unpack-files.js'

export interface RecreateStepsOptions {
  /** The instance that is made. */
  readonly row: NewInstance
  /** What a person should know of its address. Default: nothing. */
  readonly note?: string | null
  /** Folder of the backup: absolute. */
  readonly backup: string
  /** The kind of its dump. */
  readonly kind: DatabaseType | 'portable'
  /** It is the one that was saved: when its secrets were, it gets them again. */
  readonly sameInstance: boolean
  /** Port that it gets when it is free. Default: the lowest free one. */
  readonly port?: number | undefined
  /** It gets a system account of its own. */
  readonly isolated: boolean
  /**
   * Only the database of a backup that was just read, and the application if that loads the dump. Default: all, which
   * is verified before.
   */
  readonly databaseOnly?: boolean
}

/**
 * Checks before an instance is created from a backup. @returns the kind of its dump
 *
 * @throws ManagerError ERR_BACKUP, ERR_LIMIT, ERR_DISK, ERR_STATE, ERR_DATABASE
 */
export async function inspectRecreation(
  context: ManagerContext,
  manifest: Manifest,
  database: DatabaseType,
): Promise<DatabaseType | 'portable'> {
  await freePort(context)
  const { kind } = databaseFileOf(manifest)
  await reachDatabaseServer(context, database)
  if (kind !== 'portable' && kind !== database) await reachDatabaseServer(context, kind)
  const bytes = plainBytes(manifest.files)
  await checkSpace(context.home.folder, bytes)
  return kind
}

/**
 * Lays out beside what a backup holds, with a new port and a database of its own; `placeStep` follows. Memory and
 * variables of the application are as they were when they were saved (`--with-secrets`).
 */
export function recreateSteps(options: RecreateStepsOptions): readonly Step[] {
  const { row, note = null, backup, isolated, databaseOnly = false } = options
  return [
    ...(databaseOnly ? [] : [verifyStep({ backup })]),
    reserveStep(row, note, options.port),
    ...(isolated ? [accountStep()] : []),
    unpackHomeStep(options),
    databaseOnly
      ? settingsStep({ row, withoutDocuments: true })
      : settingsStep({ row, saved: (run) => savedSettings(run, options) }),
    databaseStep({ row }),
    fillStep(options),
  ]
}

async function savedSettings(
  { context, warn }: StepRun,
  { row: { name }, backup, sameInstance }: RecreateStepsOptions,
) {
  const manifest = await needManifest(backup)
  const { settings: saved, dropped = [] } = (await settingsOfBackup(backup, manifest, context)) ?? {}
  if (dropped.length > 0)
    warn(
      `These settings were not restored, because they affect more than the instance: ${dropped.join(', ')}. To set ` +
        `one again, run: manager setting set ${name} <variable>.`,
    )
  return {
    ...(saved && { like: saved, ...(sameInstance && { keep: saved }) }),
    ...(manifest.neutralised && { neutralised: true }),
  }
}

function unpackHomeStep({
  row,
  backup,
  kind,
  sameInstance,
  isolated,
  databaseOnly = false,
}: RecreateStepsOptions): Step {
  const unpacks = !databaseOnly || kind === 'portable'
  return {
    id: 'layout',
    title: unpacks ? 'Unpack and verify application and files' : 'Create its folder',
    async do(run) {
      const stage = stageOf(run)
      const manifest = await needManifest(backup)
      const account = isolated ? madeAccount(run) : undefined
      const { context, signal } = run
      if (unpacks) {
        const of = needFile(manifest, filesBase).plainSize
        const onBytes = (bytes: number) => run.progress('Unpack the files', { bytes, of })
        const { folder } = stage
        await unpackFiles(context, { backup, manifest, base: filesBase, folder, account, signal, onBytes })
      } else {
        await removeHome(stage.folder)
        await makeFolder(stage.folder, 0o700)
      }
      for (const folder of [stage.app, stage.data, stage.logs, stage.run]) await makeFolder(folder)
      // Tokens of the instance that was saved must not hold in another one.
      if (!sameInstance) await rm(join(stage.folder, tokenKey), { force: true })
      if (account) await giveHome(stage, account, account.uid)
      if (row.autoUpdate) await keepFromOthers(run, row, stage.app, manifest)
    },
    async undo(run) {
      const { folder } = stageOf(run)
      await endAllOf(accountAt(folder))
      await removeHome(folder)
    },
    check: () => 'not-done',
  }
}

/** The nightly upgrade must not bring it to what is another application here. */
async function keepFromOthers(
  { context, warn }: StepRun,
  { id, name, version }: NewInstance,
  app: string,
  { template = 'unknown' }: Pick<Manifest, 'template'>,
): Promise<void> {
  const here = (await context.templates.list()).find((one) => one.version === version)
  const reason = here && (await whyNotReplaced(app, here.folder))
  if (reason === undefined) return
  context.registry.transaction((writer) => writer.updateInstance(id, { autoUpdate: false }))
  warn(
    `"${name}" is no longer included in nightly upgrades: ${reason}. Set the right template in ` +
      `version-${version}.sh (at the time of the backup: ${template}), then run refresh and autoupdate ${name}.`,
  )
}

function fillStep({ row: { id, database }, backup, kind, databaseOnly = false }: RecreateStepsOptions): Step {
  const temporary = `steward_${id}_t`
  return {
    id: 'data',
    title: databaseOnly ? 'Load the database' : 'Restore database and documents',
    async do(run) {
      const home = stageOf(run)
      const { folder } = home
      const settings = await run.context.settings.instance(folder)
      const manifest = await needManifest(backup)
      await fillDatabase(run, {
        backup,
        manifest,
        to: { folder, settings },
        temporary: { folder, name: temporary },
      })
      if (databaseOnly) return
      const account = accountAt(folder)
      await restoreDocuments(run, { backup, manifest, home, account, place: settings.documents })
    },
    async undo({ context }) {
      if (kind !== database) await dropTemporary(context, kind, temporary)
    },
    check: () => 'not-done',
  }
}
