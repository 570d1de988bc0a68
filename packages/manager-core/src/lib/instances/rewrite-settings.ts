import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { newSettings } from './new-settings.js'

/**
 * Writes the settings of an instance again whose file was lost, as far as the registry knows them: its database is the one
 * that it has, and its secrets are new, that of the database's user, too.
 *
 * @param folder its home
 * @throws ManagerError ERR_STATE when its database is not there under the usual name: another would be made in its place
 */
export async function rewriteSettings(
  { settings, databases }: Pick<ManagerContext, 'settings' | 'databases'>,
  row: Pick<Instance, 'id' | 'name' | 'version' | 'database' | 'port'>,
  folder: string,
): Promise<void> {
  const names = databases.names(row.database, row.id)
  const { global } = settings
  const made = newSettings({ ...row, names, global, version: await settings.version(row.version) })
  const server = databases.server(row.database)
  const account = databases.account(folder, made)
  if ((await server.exists(account)) === 'no')
    throw new ManagerError(
      'ERR_STATE',
      `The settings of "${row.name}" cannot be written again: there is no database ${names.name}.`,
      { help: 'Put settings.sh back from a backup, or restore the backup.', command: `backups list ${row.name}` },
    )
  if (server.capabilities.server) await server.create(account)
  await settings.writeInstance(folder, made)
}
