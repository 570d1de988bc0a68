import { existsSync } from 'node:fs'
import type { ManagerContext, Step, StepRun } from '../context.js'
import type { DatabaseType, Instance } from '../domain/instance.js'
import { requireOwnDatabase } from '../databases/home-mark.js'
import { stageOf } from './stage.js'

export interface DatabaseStepOptions {
  readonly row: Pick<Instance, 'id' | 'database'>
  /** Name and user; default: those of a new instance. */
  readonly names?: { readonly name: string; readonly user: string }
}

/** Makes the database and its user, as the settings of what is laid out say. */
export function databaseStep({ row: { id, database }, names }: DatabaseStepOptions): Step {
  return {
    id: 'database',
    title: `Create the database (${database})`,
    // A server that is down stops it here, before there is anything to undo.
    intent: async ({ context, signal }) => {
      await reachDatabaseServer(context, database, signal)
      return null
    },
    async do(run) {
      const account = await stagedAccount(run)
      await run.context.databases.server(database).create(account)
    },
    async undo({ context }) {
      // The embedded database lies in the folder, and goes with it.
      if (database === 'sqlite') return
      const account = { ...(names ?? context.databases.names(database, id)), password: '' }
      await context.databases.server(database).drop(account)
    },
    async check(run) {
      const account = await stagedAccount(run)
      const state = await run.context.databases.server(database).exists(account)
      return state === 'yes' ? 'done' : 'not-done'
    },
  }
}

/** Drops a database and its user for good; either may be gone already. */
export function dropDatabaseStep(
  id: string,
  database: DatabaseType,
  names: { readonly name: string; readonly user: string },
): Step {
  return {
    id,
    title: `Drop its database (${database})`,
    pointOfNoReturn: true,
    do: ({ context }) => context.databases.server(database).drop({ ...names, password: '' }),
    check: () => 'not-done',
  }
}

/** How what is laid out reaches its database. */
export async function stagedAccount(run: StepRun) {
  const { folder } = stageOf(run)
  return run.context.databases.account(folder, await run.context.settings.instance(folder))
}

/** Before an operation that drops it. @throws ManagerError ERR_STATE when it is marked as that of another home */
export async function requireOwnDatabaseOf(context: ManagerContext, { id, database }: Instance): Promise<void> {
  const { folder, settings: file } = context.home.instance(id)
  // Without settings, there is nothing that names it.
  if (!existsSync(file)) return
  await requireOwnDatabase(
    context,
    database,
    context.databases.account(folder, await context.settings.instance(folder)),
  )
}

/** @throws ManagerError ERR_STATE when the type is not managed here, ERR_DATABASE when its server cannot be used. */
export async function reachDatabaseServer(
  { databases }: ManagerContext,
  type: DatabaseType,
  signal?: AbortSignal,
): Promise<void> {
  const server = databases.server(type)
  if (server.capabilities.server) await server.probe(signal)
}
