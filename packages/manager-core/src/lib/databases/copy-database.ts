import { copyThrough } from '@steward/db-adapters/server'
import type { DumpOptions } from '@steward/db-adapters/server'
import { instanceHomeAt } from '../domain/home.js'
import { isWebapp } from '../files/webapp.js'
import { emptyDatabase } from './dump-database.js'
import type { DatabaseContext, InstanceDatabase } from './instance-database.js'
import { applicationOf, dumpPortable, restorePortable } from './portable-dump.js'
import { isMissingTool, toManagerError } from './translated-server.js'

/**
 * Puts a copy of an instance's database in place of what is in that of another one, which does not run; types may
 * differ. Consistent while the first one runs. Without the vendor's programs, and between types, what the application
 * knows is copied, by the application in the `app` of either home.
 *
 * @throws ManagerError ERR_DATABASE, ERR_DISK; `to` is empty or half filled then, and it may be tried again.
 */
export async function copyDatabase(
  context: DatabaseContext,
  { from, to }: { readonly from: InstanceDatabase; readonly to: InstanceDatabase },
  options: DumpOptions = {},
): Promise<void> {
  await emptyDatabase(context, to)
  if (from.settings.database === to.settings.database && (await copyAlike(context, from, to, options))) return
  // Each side runs its own: it may be closed for the other one.
  const [app, other] = [applicationOf(from.folder, to.folder), applicationOf(to.folder, from.folder)]
  try {
    await copyThrough(
      dumpPortable(context, from, app, options),
      (content) => restorePortable(context, to, other, content, { signal: options.signal }),
      options.warn,
    )
  } catch (error) {
    throw toManagerError(error)
  }
}

/** @returns false when a program is missing, before anything was copied. */
async function copyAlike(
  { databases }: DatabaseContext,
  from: InstanceDatabase,
  to: InstanceDatabase,
  options: DumpOptions,
): Promise<boolean> {
  const server = databases.server(to.settings.database)
  const accountOf = ({ folder, settings }: InstanceDatabase) => databases.account(folder, settings)
  try {
    await server.copy(accountOf(from), accountOf(to), options)
    return true
  } catch (error) {
    if (isMissingTool(error) && !isWebapp(instanceHomeAt(from.folder).app)) return false
    throw error
  }
}
