import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { DefinitionError, StoreError } from '@steward/rest-core/errors'
import { SettingsError } from '../settings.js'
import {
  findMigrations,
  loadMigrations,
  migrationFolder,
  type Migration,
  type MigrationTime,
} from './load-migrations.js'

/** That of knex. Its lock is in the table of this name with `_lock`. */
const tableName = 'knex_migrations'
const lockTable = `${tableName}_lock`

/** Between two tries to get the lock, and in all, in ms. */
const pauseMs = 500
const patienceMs = 600_000

/** Databases whose DDL a rollback undoes. */
const undoing: ReadonlySet<string> = new Set(['better-sqlite3', 'pg', 'mssql'])

export interface MigrationsOptions {
  /** Folder of the application. */
  readonly folder: string
  /** Reads what was run. */
  readonly knex: Knex
  /** Calls `work` with the instance on which migrations run, which no one else uses. Default: that is `knex`. */
  readonly using?: <T>(work: (knex: Knex) => Promise<T>) => Promise<T>
  /** Default: ten minutes. */
  readonly patienceMs?: number
}

/** Migrations of an application and of its database. */
export interface Migrations {
  /** Names of those that were run, in the order in which they were. */
  readonly done: readonly string[]
  /** Those that were not. */
  readonly pending: readonly Migration[]
  /**
   * Runs the pending ones of that time, in one transaction where each of them has one, and waits while another server runs
   * some.
   *
   * @returns names of those that this call ran
   * @throws SettingsError naming the migration that failed, or when another server is not ready in time
   */
  run(when: MigrationTime): Promise<readonly string[]>
  /** Undoes the last one, or the last batch: those that were run together. */
  undo(what: 'last' | 'batch'): Promise<readonly string[]>
}

/**
 * Reads only.
 *
 * @returns undefined when the application has no folder of migrations
 * @throws DefinitionError when a pending file is wrong, or the file of one that was run is gone
 */
export async function openMigrations(options: MigrationsOptions): Promise<Migrations | undefined> {
  const { folder, knex } = options
  const names = await findMigrations(folder)
  if (!names) return undefined
  const done = await namesOfDone(knex)
  const gone = done.filter((name) => !names.includes(name))
  if (gone.length > 0)
    throw new DefinitionError(
      gone.map(
        (name) =>
          `${join(folder, migrationFolder, name)} does not exist, but the database has run it. Bring the file back, or take its row out of the table ${tableName}.`,
      ),
    )
  const pending = await loadMigrations(
    folder,
    names.filter((name) => !done.includes(name)),
  )
  return {
    done,
    pending,
    async run(when) {
      const wanted = pending.filter((migration) => migration.when === when)
      return wanted.length === 0 ? [] : await perform(options, wanted, (migrator, config) => migrator.latest(config))
    },
    async undo(what) {
      if (done.length === 0) return []
      const loaded = await loadMigrations(folder, done)
      return perform(options, loaded, (migrator, config) =>
        what === 'last' ? migrator.down(config) : migrator.rollback(config),
      )
    },
  }
}

/** Gives the lock free that a killed process has left. */
export async function unlockMigrations(knex: Knex): Promise<void> {
  await knex.migrate.forceFreeMigrationsLock({ tableName })
}

async function namesOfDone(knex: Knex): Promise<string[]> {
  if (!(await knex.schema.hasTable(tableName))) return []
  return knex(tableName).orderBy('id').pluck<string[]>('name')
}

type Work = (migrator: Knex.Migrator, config: Knex.MigratorConfig) => Promise<[number, (string | Migration)[]]>

function perform(
  { knex, using = (work) => work(knex), patienceMs: patience = patienceMs }: MigrationsOptions,
  migrations: readonly Migration[],
  work: Work,
): Promise<string[]> {
  const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: async () => [...migrations],
    getMigrationName: ({ name }) => name,
    getMigration: async (migration) => named(migration),
  }
  // Each call knows its own ones only, and another server may have run others.
  const config = { tableName, migrationSource, disableMigrationsListValidation: true }
  return using((own) =>
    withoutWarnings(own, () =>
      withoutForeignKeys(own, async () => {
        await makeTables(own)
        const [, ran] = await whenUnlocked(patience, () => work(own.migrate, config))
        return ran.map((each) => (typeof each === 'string' ? each : each.name))
      }),
    ),
  )
}

async function whenUnlocked<T>(patience: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patience
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error && error.name === 'MigrationLocked')) throw error
      if (Date.now() > deadline)
        throw new SettingsError(
          'Another server has been running migrations of this database, or was killed while it did. If none is running: app-server migrate unlock <folder>.',
          { cause: error },
        )
    }
    await sleep(Math.min(pauseMs, patience))
  }
}

/** With errors that say which one failed, and what is left of it. */
function named({ name, up, down, config }: Migration): Knex.Migration & Pick<Migration, 'config'> {
  const within =
    (work: Migration['up'], verb: string) =>
    async (knex: Knex): Promise<void> => {
      try {
        await keepingLinks(knex, () => work(knex))
      } catch (error) {
        if (DefinitionError.is(error)) throw error
        const isUndone = knex.isTransaction && undoing.has(knex.client.driverName as string)
        const rest = isUndone ? 'Nothing of it was kept.' : 'What it changed before that was kept.'
        const reason = error instanceof Error ? error.message : String(error)
        throw new SettingsError(`Cannot ${verb} migration "${name}": ${reason.replace(/\.?$/, '.')} ${rest}`, {
          cause: error,
        })
      }
    }
  return { up: within(up, 'run'), down: within(down, 'undo'), ...(config && { config }) }
}

/**
 * On SQLite, tables are made again by dropping the old one, which would delete all rows that refer to its rows. So foreign keys
 * are off (`withoutForeignKeys`), and are checked afterwards.
 */
async function keepingLinks(knex: Knex, work: () => Promise<void>): Promise<void> {
  if (!isSqlite(knex)) return work()
  const broken = await brokenLinks(knex)
  await work()
  if ((await brokenLinks(knex)) > broken) throw new StoreError('reference', 'Rows refer to rows that do not exist')
}

async function brokenLinks(knex: Knex): Promise<number> {
  const [row] = (await knex.raw('select count(*) as broken from pragma_foreign_key_check')) as { broken: number }[]
  return row?.broken ?? 0
}

/** Errors are reported once, by those who get them. */
async function withoutWarnings<T>({ client }: Knex, work: () => Promise<T>): Promise<T> {
  const quiet = client as { logger: object }
  const { logger } = quiet
  quiet.logger = Object.assign(Object.create(logger) as object, { warn: () => {} })
  try {
    return await work()
  } finally {
    quiet.logger = logger
  }
}

/** Takes no effect in a transaction, so it is set around those of migrations. */
async function withoutForeignKeys<T>(knex: Knex, work: () => Promise<T>): Promise<T> {
  if (!isSqlite(knex)) return work()
  await knex.raw('pragma foreign_keys = off')
  try {
    return await work()
  } finally {
    await knex.raw('pragma foreign_keys = on')
  }
}

function isSqlite({ client }: Knex): boolean {
  return client.driverName === 'better-sqlite3'
}

/** The tables of knex, of which several servers make one each. */
async function makeTables(knex: Knex): Promise<void> {
  const migrationSource: Knex.MigrationSource<never> = {
    getMigrations: async () => [],
    getMigrationName: String,
    getMigration: () => Promise.reject(new TypeError('There is none.')),
  }
  for (let tries = 1; ; tries++) {
    try {
      await knex.migrate.list({ tableName, migrationSource, disableMigrationsListValidation: true })
      break
    } catch (error) {
      // Another server made one first.
      if (tries === 5) throw error
      await sleep(100 * tries)
    }
  }
  // Each of two servers may have made the row of the lock, which then could never be taken.
  const [, ...others] = await knex(lockTable).orderBy('index').pluck<number[]>('index')
  if (others.length > 0) await knex(lockTable).whereIn('index', others).delete()
}
