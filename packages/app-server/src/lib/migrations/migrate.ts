import type { AppDefinition } from '../app-definition.js'
import { syncDatabase, type ApplicationPlace } from '../check-application.js'
import { makeDataFolder } from '../data-folder.js'
import { openDatabase } from '../open-database.js'
import { knexOf, migrationsOf } from '../prepare-tables.js'
import { makeMigration } from './make-migration.js'
import { migrationFolder, type MigrationTime } from './load-migrations.js'
import { unlockMigrations } from './open-migrations.js'

export type MigrateTask = 'make' | 'up' | 'list' | 'down' | 'rollback' | 'unlock'

export interface MigrateFlags {
  /** For `make`. */
  readonly name?: string
  /** For `make`. Default `after`. */
  readonly when?: MigrationTime
}

/**
 * Performs a task of `app-server migrate`.
 *
 * @returns what it says, for people
 * @throws DefinitionError, SettingsError, StoreError: each says what to do
 */
export async function migrate(
  task: MigrateTask,
  place: ApplicationPlace,
  definition: AppDefinition,
  { name = '', when = 'after' }: MigrateFlags,
): Promise<string> {
  switch (task) {
    case 'make':
      return `Wrote ${await makeMigration(place.folder, name, when, new Date())}\n`
    case 'up': {
      const { before, plan, after } = await syncDatabase(place, definition, false)
      const changes = plan.steps.map(({ description }) => `table change: ${description}`)
      return linesOf([...before.map(ran), ...changes, ...after.map(ran)], 'The database is up to date.')
    }
    case 'list':
      return list(place, definition)
    case 'down':
    case 'rollback':
      return undo(place, definition, task === 'down' ? 'last' : 'batch')
    case 'unlock':
      return unlock(place, definition)
  }
}

/** The database is only read. */
async function list({ folder, dataFolder, settings }: ApplicationPlace, definition: AppDefinition): Promise<string> {
  const options = { folder, dataFolder, settings, definition, introspect: false, readOnly: true }
  const store = await openDatabase(options)
  try {
    const { done = [], pending = [] } = (await migrationsOf(store, options)) ?? {}
    const open = pending.map(({ name, when }) => `pending  ${name} (${when} table changes)`)
    return linesOf([...done.map((name) => `done     ${name}`), ...open], `No migrations in ${migrationFolder}/.`)
  } finally {
    await store.close()
  }
}

async function undo(
  { folder, dataFolder, settings }: ApplicationPlace,
  definition: AppDefinition,
  what: 'last' | 'batch',
): Promise<string> {
  await makeDataFolder(dataFolder)
  const options = { folder, dataFolder, settings, definition, introspect: false }
  const store = await openDatabase(options)
  try {
    const undone = (await (await migrationsOf(store, options))?.undo(what)) ?? []
    return linesOf(
      undone.map((name) => `undone: ${name}`),
      'No migration has been run.',
    )
  } finally {
    await store.close()
  }
}

async function unlock({ folder, dataFolder, settings }: ApplicationPlace, definition: AppDefinition): Promise<string> {
  const store = await openDatabase({ folder, dataFolder, settings, definition, introspect: false })
  try {
    await unlockMigrations(knexOf(store))
    return 'Migrations are unlocked.\n'
  } finally {
    await store.close()
  }
}

function ran(name: string): string {
  return `migration: ${name}`
}

function linesOf(lines: readonly string[], otherwise: string): string {
  return `${lines.length === 0 ? otherwise : lines.join('\n')}\n`
}
