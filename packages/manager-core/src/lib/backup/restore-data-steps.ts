import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkTo, makeFolder, moveTo, writeNewFile } from '../accounts/places.js'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { giveHome } from '../accounts/give.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { ManagerContext, Step, StepRun } from '../context.js'
import { bucketOf } from '../documents/bucket.js'
import { reservePlace } from '../documents/places.js'
import { instanceHomeAt, tokenKey, type InstanceHome } from '../domain/home.js'
import type { DatabaseType } from '../domain/instance.js'
import { newPassword } from '../domain/passwords.js'
import { fileError } from '../files/file-error.js'
import { readForeignBytes } from '../accounts/foreign.js'
import { syncPath } from '../files/tree.js'
import { noteData } from '../instances/data-there.js'
import { restoredNames, restoreWorkIn } from '../instances/stage.js'
import type { InstanceSettings } from '../settings/settings.js'
import { databaseFileOf, dropTemporary, fillDatabase } from './database-of-backup.js'
import type { Manifest } from './backup.js'
import { filesBase, needFile, needManifest, plainBytes } from './manifest.js'
import { rememberingDamage } from './remembering-damage.js'
import { restoreDocuments } from './restore-documents.js'
import { unpackFiles } from './unpack-files.js'
import { verifyForRestore } from './verify-backup.js'

export interface RestoreDataOptions {
  readonly instance: { readonly id: string; readonly name: string }
  /** Home of the instance. */
  readonly folder: string
  /** Folder of the backup: absolute. */
  readonly backup: string
  readonly parts: 'all' | 'data' | 'app'
}

function workOf({ context, operation }: Pick<StepRun, 'context' | 'operation'>): string {
  return restoreWorkIn(context.home, operation)
}

/** Where these steps work: what comes, until it is in its place, and in `old` what it replaced. */
export function restoreWorkOf(run: Pick<StepRun, 'context' | 'operation'>) {
  return { ...instanceHomeAt(workOf(run)), old: instanceHomeAt(join(workOf(run), 'old')) }
}

/** Lays out beside what a backup holds; `swapStep` follows when the instance is stopped, `removeOldStep` when all is well. */
export function layOutBackupSteps(options: RestoreDataOptions): readonly Step[] {
  return [
    verifyStep(options),
    unpackBesideStep(options),
    ...(options.parts === 'app' ? [] : [restoreDatabaseStep(options)]),
  ]
}

/** All but its files, which are verified when they are unpacked, beside, before anything of the instance is touched. */
export function verifyStep({ backup }: Pick<RestoreDataOptions, 'backup'>): Step {
  return {
    id: 'restore-verify',
    title: 'Verify the backup, except its files',
    async do(run) {
      const manifest = await needManifest(backup)
      const { name: files } = needFile(manifest, filesBase)
      const of = plainBytes(manifest.files.filter(({ name }) => name !== files))
      const { settings, clock } = run.context
      await rememberingDamage({ folder: backup, clock }, () =>
        verifyForRestore(backup, manifest, settings.global.backupEncryption, [filesBase], {
          signal: run.signal,
          onBytes: (bytes) => run.progress('Read the backup', { bytes, of }),
        }),
      )
    },
    check: () => 'not-done',
  }
}

function unpackBesideStep({ instance, folder, backup, parts }: RestoreDataOptions): Step {
  return {
    id: 'restore-files',
    title: 'Unpack and verify its files in a temporary place',
    async do(run) {
      const account = accountAt(folder)
      const work = restoreWorkOf(run)
      const manifest = await needManifest(backup)
      const { context, signal } = run
      const of = needFile(manifest, filesBase).plainSize
      const onBytes = (bytes: number) => run.progress('Unpack the files', { bytes, of })
      const unpacked = { backup, manifest, base: filesBase, folder: work.folder, account, signal, onBytes }
      await unpackFiles(context, unpacked)
      if (parts !== 'app') await placeDocuments(run, { instance, backup, manifest, folder, work, account })
      // Without one in the backup the instance keeps its own, and its tokens hold.
      const [key, own] = [join(work.folder, tokenKey), readForeignBytes(join(folder, tokenKey), account?.uid)]
      if (own && !existsSync(key) && existsSync(dirname(key))) await writeNewFile(key, own, { account })
      // The files are the account's, whose processes may have put others there: nothing else is given.
      if (account) await giveHome(work, account, account.uid)
    },
    undo: (run) => removeTree(workOf(run), accountAt(folder)),
    check: () => 'not-done',
  }
}

/** Documents of an instance that has them in a bucket are put into a new place of it. */
async function placeDocuments(
  run: StepRun,
  {
    instance: { id },
    backup,
    manifest,
    folder,
    work,
    account,
  }: Omit<RestoreDataOptions, 'parts'> & {
    readonly manifest: Manifest
    readonly work: InstanceHome
    readonly account: SystemAccount | undefined
  },
): Promise<void> {
  const { context } = run
  const own = await context.settings.instance(folder)
  const place = own.documents === undefined ? undefined : await reservePlace(context, bucketOf(own.documents), id)
  // Before anything is there, so that it is not taken for unused.
  if (place !== undefined) await context.settings.writeInstance(work.folder, { ...own, documents: place })
  await restoreDocuments(run, { backup, manifest, home: work, account, place })
}

function restoreDatabaseStep({ instance, folder, backup }: RestoreDataOptions): Step {
  return {
    id: 'restore-database',
    title: 'Restore its database in a temporary place',
    // What undo drops; changes of the settings meanwhile do not matter.
    intent: async ({ context }) => {
      const { database } = await context.settings.instance(folder)
      return { database, kind: databaseFileOf(await needManifest(backup)).kind }
    },
    async do(run) {
      const { context } = run
      const work = workOf(run)
      const now = existsSync(instanceHomeAt(work).settings) ? work : folder
      const settings = await newSettings(run, instance.id, await context.settings.instance(now))
      if (settings.database !== 'sqlite') await context.settings.writeInstance(work, settings)
      const temporary = { folder: work, name: `${restoredNames(run.operation, instance.id).name}t` }
      const to = { folder: work, settings }
      await fillDatabase(run, { backup, manifest: await needManifest(backup), to, temporary })
    },
    async undo(run) {
      const { database, kind } = run.intent as { database: DatabaseType; kind: 'portable' | DatabaseType }
      if (kind !== database)
        await dropTemporary(run.context, kind, `${restoredNames(run.operation, instance.id).name}t`)
      if (database === 'sqlite') return
      await run.context.databases.server(database).drop({ ...restoredNames(run.operation, instance.id), password: '' })
    },
    check: () => 'not-done',
  }
}

async function newSettings(run: StepRun, id: string, settings: InstanceSettings): Promise<InstanceSettings> {
  if (settings.database === 'sqlite') return settings
  const { name, user } = restoredNames(run.operation, id)
  return { ...settings, databaseName: name, databaseUser: user, databasePassword: newPassword() }
}

/** By renaming; the instance is stopped. What was there is in `old` until all is well. */
export function swapStep({ folder, parts }: RestoreDataOptions): Step {
  const swapped = parts === 'all' ? (['app', 'data'] as const) : [parts]
  return {
    id: 'restore-swap',
    title: 'Replace the current contents',
    async do(run) {
      const [work, home] = [instanceHomeAt(workOf(run)), instanceHomeAt(folder)]
      const old = oldOf(run)
      try {
        await makeFolder(old.folder, 0o700)
        for (const part of swapped) {
          if (!existsSync(old[part]) && existsSync(home[part])) await moveTo(home[part], old[part])
          if (existsSync(work[part])) await moveTo(work[part], home[part])
        }
        if (existsSync(work.settings)) {
          if (!existsSync(old.settings)) await linkTo(home.settings, old.settings)
          await moveTo(work.settings, home.settings)
        }
        await noteData(run.context, folder)
        await syncPath(folder)
      } catch (error) {
        throw fileError(error, `Cannot put the backup in place in ${folder}`)
      }
    },
    async undo(run) {
      const [work, home] = [instanceHomeAt(workOf(run)), instanceHomeAt(folder)]
      const old = oldOf(run)
      for (const part of swapped)
        if (existsSync(old[part])) {
          if (existsSync(home[part])) await moveTo(home[part], work[part])
          await moveTo(old[part], home[part])
        }
      // They are the same file when they were not replaced yet.
      if (existsSync(old.settings)) await moveTo(old.settings, home.settings)
      await noteData(run.context, folder)
      await syncPath(folder)
    },
    check: () => 'not-done',
  }
}

const oldOf = (run: StepRun) => restoreWorkOf(run).old

/** Removes what was there before; from now on it is not put back. */
export function removeOldStep({ instance }: Pick<RestoreDataOptions, 'instance'>): Step {
  return {
    id: 'restore-old',
    title: 'Remove the previous contents',
    pointOfNoReturn: true,
    async do(run) {
      const { context } = run
      const old = oldOf(run)
      if (existsSync(old.settings)) {
        const settings = await context.settings.instance(old.folder)
        const account = context.databases.account(old.folder, settings)
        const current = context.databases.account('', await context.settings.instance(homeOf(context, instance.id)))
        if (settings.database !== 'sqlite' && account.name !== current.name)
          await context.databases.server(settings.database).drop(account)
      }
      await removeTree(workOf(run), accountAt(homeOf(context, instance.id)))
    },
    check: (run) => (existsSync(workOf(run)) ? 'not-done' : 'done'),
  }
}

const homeOf = ({ home }: ManagerContext, id: string) => home.instance(id).folder
