import { join } from 'node:path'
import type { Model, ObjectStore, SyncPlan } from '@steward/rest-core'
import { DefinitionError } from '@steward/rest-core/errors'
import { loadAppDefinition } from './app-definition.js'
import type { AppDefinition } from './app-definition.js'
import { makeDataFolder } from './data-folder.js'
import { loadServedModel } from './model-of.js'
import { findMigrations, loadMigrations, type MigrationTime } from './migrations/load-migrations.js'
import { openDatabase, type DatabaseOptions } from './open-database.js'
import { documentsPackage } from './open-documents.js'
import { migrationsOf, prepareTables, type PreparedTables } from './prepare-tables.js'
import type { Settings } from './settings.js'
import { loadSetup } from './setup.js'

/** What can be known of an application before it is started, as data, for programs. */
export interface ApplicationCheck {
  readonly format: 'steward-check'
  readonly version: 1
  /** What `app.yaml` says; absent when it cannot be read. */
  readonly application?: { readonly name: string; readonly title: string; readonly version: string }
  /** What is wrong with its files, with line and column where they are known; empty: a start would load them. */
  readonly problems: readonly string[]
  /** The package that keeps the documents; absent: they are in a folder. */
  readonly documentsPackage?: string
  /** What a start would do with the database; absent when that was not asked for, or there are problems. */
  readonly database?: SyncPlan
  /** Migrations that a start would run, before or after it does that; absent when there are none. */
  readonly migrations?: readonly PendingMigration[]
}

export interface PendingMigration {
  /** The name of its file. */
  readonly name: string
  readonly when: MigrationTime
}

export interface ApplicationPlace {
  /** Absolute. */
  readonly folder: string
  readonly dataFolder: string
  readonly settings: Settings
}

/**
 * Loads all that a start would load, without making or changing anything.
 *
 * @param withDatabase also plans the changes of its database, which is only read
 * @throws StoreError when the database cannot be reached
 */
export async function checkApplication(
  { folder, dataFolder, settings }: ApplicationPlace,
  { withDatabase }: { readonly withDatabase: boolean },
): Promise<ApplicationCheck> {
  const start = { format: 'steward-check', version: 1 } as const
  let definition: AppDefinition | undefined
  let model: Model
  try {
    definition = await loadAppDefinition(folder, settings)
    model = await loadServedModel(folder, definition)
    if (definition.setup !== undefined) await loadSetup(folder, definition.setup)
    await loadMigrations(folder, (await findMigrations(folder)) ?? [])
  } catch (error) {
    return { ...start, ...(definition && { application: titleOf(definition) }), problems: problemsOf(error, folder) }
  }
  const keeper = documentsPackage(definition.documents)
  const checked = {
    ...start,
    application: titleOf(definition),
    problems: [],
    ...(keeper !== undefined && { documentsPackage: keeper }),
  }
  if (!withDatabase) return checked
  // Counting the rows of large tables takes longer than a request may.
  const patient = { ...definition, statementTimeoutSeconds: 0 }
  const options = { folder, dataFolder, settings, definition: patient, introspect: false, readOnly: true }
  const store = await openDatabase(options)
  return using(store, async () => {
    let migrations: readonly PendingMigration[]
    try {
      migrations = await pendingOf(store, options)
    } catch (error) {
      if (!DefinitionError.is(error)) throw error
      // The database has run one whose file is gone.
      return { ...checked, problems: problemsOf(error, folder) }
    }
    // The script is asked for by itself.
    const { sql: _, noSql: __, ...database } = await store.plan(model, { rows: true })
    return { ...checked, database, ...(migrations.length > 0 && { migrations }) }
  })
}

/** With places in the folder of the application. */
function problemsOf(error: unknown, folder: string): string[] {
  const messages = DefinitionError.is(error) ? error.messages : [error instanceof Error ? error.message : String(error)]
  return messages.map((text) => text.replaceAll(join(folder, '/'), ''))
}

async function pendingOf(store: ObjectStore, options: DatabaseOptions): Promise<PendingMigration[]> {
  const { pending = [] } = (await migrationsOf(store, options)) ?? {}
  return pending.map(({ name, when }) => ({ name, when }))
}

/**
 * What a start would change in the database, which is only read.
 *
 * @throws DefinitionError, StoreError: each says what to do.
 */
export async function planDatabase(
  { folder, dataFolder, settings }: ApplicationPlace,
  definition: AppDefinition,
): Promise<{ readonly plan: SyncPlan; readonly migrations: readonly PendingMigration[] }> {
  const model = await loadServedModel(folder, definition)
  const options = { folder, dataFolder, settings, definition, introspect: false, readOnly: true }
  const store = await openDatabase(options)
  return using(store, async () => ({
    migrations: await pendingOf(store, options),
    plan: await store.plan(model),
  }))
}

/**
 * Brings the database in step with the application, as a start would, with its migrations, and serves nothing.
 *
 * @param destructive let it lose what no field holds any more
 * @throws DefinitionError, SettingsError, StoreError: each says what to do.
 */
export async function syncDatabase(
  { folder, dataFolder, settings }: ApplicationPlace,
  definition: AppDefinition,
  destructive: boolean,
): Promise<PreparedTables> {
  const model = await loadServedModel(folder, definition)
  await makeDataFolder(dataFolder)
  const options = { folder, dataFolder, settings, definition, introspect: false }
  const store = await openDatabase(options)
  return using(store, () => prepareTables(store, model, { ...options, destructive }))
}

async function using<T>(store: ObjectStore, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await store.close()
  }
}

function titleOf({ name, title = name, version }: AppDefinition) {
  return { name, title, version }
}
