import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseServerError } from '@steward/db-adapters/server'
import { ManagerError } from '../../errors.js'
import { wrongOwnerOf } from '../accounts/give.js'
import { foreignKind, readForeignFolder } from '../accounts/foreign.js'
import type { ManagerContext } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import type { Instance } from '../domain/instance.js'
import type { InstanceSettings } from '../settings/settings.js'
import { readDataRecord, writeDataRecord } from './data-record.js'

type Row = Pick<Instance, 'id' | 'name'>
type Context = Pick<ManagerContext, 'home' | 'settings' | 'databases'>

/**
 * Data of an instance that are gone; undefined when all are there, and when it is unknown (a database server that is
 * down). An application that starts without its data makes new, empty ones, so it must not start then.
 */
export async function lostData(context: Context, { id }: Pick<Row, 'id'>): Promise<string | undefined> {
  const { folder, data, settings: file } = context.home.instance(id)
  if (!existsSync(file)) return undefined
  const record = readDataRecord(folder)
  if (!existsSync(data)) return 'its folder "data" is missing'
  const settings = await context.settings.instance(folder)
  // Those of a bucket are asked for by the application itself when it starts.
  if (record.documents && settings.documents === undefined && foreignKind(documentsOf(folder)) === undefined)
    return 'its documents (data/documents) are missing'
  return lostDatabase(context, folder, settings, record.tables === true)
}

/** @throws ManagerError ERR_STATE */
export async function checkDataThere(context: Context, { id, name }: Row): Promise<void> {
  const wrong = wrongOwnerOf(context.home.instance(id))
  if (wrong)
    throw new ManagerError('ERR_STATE', `"${name}" was not started: ${wrong.message}.`, {
      help: 'Nothing is lost: give it back to the instance.',
      command: 'doctor instances --fix',
    })
  const lost = await lostData(context, { id })
  if (lost === undefined) return
  throw new ManagerError(
    'ERR_STATE',
    `"${name}" was not started: ${lost}, and a start would replace the data with empty data.`,
    {
      help: `Restore a backup, or the missing data. To start with an empty database: manager start ${name} --empty`,
      command: `backups list ${name}`,
    },
  )
}

/** What is there now is what has to be there at the next start. What is unknown stays as it was noted. */
export async function noteData({ settings, databases }: Context, folder: string): Promise<void> {
  if (!existsSync(instanceHomeAt(folder).settings)) return
  const own = await settings.instance(folder)
  const account = databases.account(folder, own)
  const hasTables = await databases
    .server(own.database)
    .isEmpty(account)
    .then(
      (isEmpty) => !isEmpty,
      () => readDataRecord(folder).tables === true,
    )
  writeDataRecord(folder, {
    ...(hasTables && { tables: true }),
    ...((await hasDocuments(folder)) && { documents: true }),
  })
}

const documentsOf = (folder: string) => join(instanceHomeAt(folder).data, 'documents')

async function hasDocuments(folder: string): Promise<boolean> {
  return (await readForeignFolder(documentsOf(folder))).length > 0
}

async function lostDatabase(
  { databases }: Context,
  folder: string,
  settings: InstanceSettings,
  hadTables: boolean,
): Promise<string | undefined> {
  const server = databases.server(settings.database)
  const account = databases.account(folder, settings)
  const what = `its database ${settings.database === 'sqlite' ? `file ${settings.databaseName}` : settings.databaseName}`
  try {
    return (await server.isEmpty(account)) && hadTables ? `${what} no longer has tables` : undefined
  } catch (error) {
    const cause = (error as Error).cause
    const code = DatabaseServerError.is(cause) ? cause.code : undefined
    if (code === 'ERR_NOT_FOUND') return `${what} is missing`
    if (code !== 'ERR_CREDENTIALS') return undefined
    // Its user may be gone with it, or only its password be wrong.
    const state = await server.exists(account).catch(() => 'yes')
    return state === 'yes' ? undefined : `${what} or its user is missing`
  }
}
