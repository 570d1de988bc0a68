import type { DumpOptions } from '@steward/db-adapters/server'
import type { ManagerContext } from '../context.js'
import type { InstanceDatabase } from './dump-database.js'

/**
 * Copies a database into the empty one of another instance, whose `app` is in place; types may differ.
 *
 * @throws ManagerError; `to` may be half filled then: drop and create it before trying again.
 */
export async function copyDatabase(
  { databases }: Pick<ManagerContext, 'databases' | 'applicationServer'>,
  { from, to }: { readonly from: InstanceDatabase; readonly to: InstanceDatabase },
  options: DumpOptions = {},
): Promise<void> {
  const server = databases.server(to.settings.database)
  await server.copy(databases.account(from.folder, from.settings), databases.account(to.folder, to.settings), options)
}
