import type { Model, ObjectStore, SyncPlan } from '@steward/rest-core'
import type { Knex } from 'knex'
import { openMigrations, type Migrations } from './migrations/open-migrations.js'
import { isInMemory, openDatabase, type DatabaseOptions } from './open-database.js'

/** What was done, in this order. */
export interface PreparedTables {
  readonly before: readonly string[]
  readonly plan: SyncPlan
  readonly after: readonly string[]
}

/**
 * Runs the migrations that are to run before the tables are brought in step with the model, brings them in step, and runs the
 * others.
 *
 * @throws DefinitionError, SettingsError, StoreError: each says what to do
 */
export async function prepareTables(
  store: ObjectStore,
  model: Model,
  options: DatabaseOptions & { readonly destructive: boolean },
): Promise<PreparedTables> {
  const migrations = options.introspect ? undefined : await migrationsOf(store, options)
  const before = (await migrations?.run('before')) ?? []
  const plan = await store.sync(model, { destructive: options.destructive })
  const after = (await migrations?.run('after')) ?? []
  return { before, plan, after }
}

/** @returns undefined when the application has no folder of migrations */
export function migrationsOf(store: ObjectStore, options: DatabaseOptions): Promise<Migrations | undefined> {
  const { folder, definition, settings } = options
  const knex = knexOf(store)
  return openMigrations({
    folder,
    knex,
    async using(work) {
      if (isInMemory(settings.database ?? definition.database)) return work(knex)
      // Migrations of large tables take longer than a request may.
      const patient = { ...options, definition: { ...definition, statementTimeoutSeconds: 0 }, connections: 2 }
      const own = await openDatabase(patient)
      try {
        return await work(knexOf(own))
      } finally {
        await own.close()
      }
    },
  })
}

/** The databases of applications all stand on one. */
export function knexOf({ knex }: ObjectStore): Knex {
  return knex as Knex
}
