import { existsSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { homeOfMark, markOf, otherIn } from '../databases/home-mark.js'
import type { DatabaseType } from '../domain/instance.js'
import { listTrash } from './trash.js'

/** A database that this home names, and its user. */
export interface NamedDatabase {
  readonly type: DatabaseType
  readonly name: string
  readonly user: string
}

/** Those of instances and of what is in the trash, on servers. */
export async function namedDatabases({
  home,
  registry,
  settings,
}: Pick<ManagerContext, 'home' | 'registry' | 'settings'>): Promise<readonly NamedDatabase[]> {
  const found: NamedDatabase[] = []
  for (const { id, database } of registry.instances()) {
    const own = home.instance(id)
    // Without settings, there is nothing that names it.
    if (database === 'sqlite' || !existsSync(own.settings)) continue
    const { databaseName: name, databaseUser: user } = await settings.instance(own.folder)
    found.push({ type: database, name, user })
  }
  for (const { instance, database } of await listTrash(home))
    if (instance.database !== 'sqlite' && database.name !== '') found.push({ type: instance.database, ...database })
  return found
}

/** Whose a database is: `none`, it has no mark yet; or the mark of another home. Undefined: there is none, or it cannot have one. */
export async function whoseIs(
  { databases, home }: Pick<ManagerContext, 'home' | 'databases'>,
  { type, name, user }: NamedDatabase,
): Promise<'ours' | 'none' | { readonly mark: string } | undefined> {
  const account = { name, user, password: '' }
  const server = databases.server(type)
  if ((await server.exists(account)) === 'no') return undefined
  const marks = await server.marks(account)
  if (marks === undefined) return undefined
  const mark = otherIn(marks, home.folder)
  if (mark !== undefined) return { mark }
  return marks.includes(markOf(home.folder)) ? 'ours' : 'none'
}

/** Gives the databases that this home names its mark, but for those of another home that is still there. */
export async function markDatabases(
  context: Pick<ManagerContext, 'home' | 'registry' | 'settings' | 'databases'>,
): Promise<{ readonly databases: number; readonly failures: readonly string[] }> {
  let databases = 0
  const failures: string[] = []
  for (const named of await namedDatabases(context)) {
    const { type, name, user } = named
    try {
      const whose = await whoseIs(context, named)
      if (whose === undefined || whose === 'ours') continue
      const other = whose === 'none' ? undefined : homeOfMark(whose.mark)
      if (other === undefined) {
        await context.databases.server(type).mark({ name, user, password: '' })
        databases++
      } else failures.push(`The database "${name}" belongs to the manager's home ${other}, which is still there.`)
    } catch (error) {
      if (!ManagerError.is(error)) throw error
      failures.push(`The database "${name}" keeps its mark: ${error.message}`)
    }
  }
  return { databases, failures }
}
