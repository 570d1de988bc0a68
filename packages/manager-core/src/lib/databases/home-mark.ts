import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { otherMark, type DatabaseAccount } from '@steward/db-adapters/server'
import { homeAt, type Home } from '../domain/home.js'
import type { DatabaseType } from '../domain/instance.js'
import { machineId } from '../system/machine-id.js'
import type { Databases } from './databases.js'
import { toManagerError } from './translated-server.js'

/** Not specified; chosen as what fits into the comments of all servers. */
const longestPath = 200

/**
 * What databases and their users say about the home that they were made for. Applications can read it: the id of the machine
 * is hashed.
 */
export function markOf(folder: string): string {
  return marked(realpathSync(folder))
}

/** Path of the home on this machine that a mark is of, where it is still there. */
export function homeOfMark(mark: string): string | undefined {
  const path = pathIn(mark)
  return path !== undefined && existsSync(homeAt(path).config) ? path : undefined
}

/** Whether the home that a mark is of was on this machine and is no longer there: removed, moved, or renamed. */
export function isVoid(mark: string): boolean {
  return machineId() !== '' && pathIn(mark) !== undefined && homeOfMark(mark) === undefined
}

/** The first mark of another home than the one in this folder that counts. */
export function otherIn(marks: readonly string[], folder: string): string | undefined {
  const own = markOf(folder)
  return marks.find((mark) => mark !== own && !isVoid(mark))
}

/** @throws ManagerError ERR_STATE when it is marked as that of another home, ERR_DATABASE */
export async function requireOwnDatabase(
  { databases, home }: { readonly databases: Databases; readonly home: Pick<Home, 'folder'> },
  type: DatabaseType,
  names: Pick<DatabaseAccount, 'name' | 'user'>,
): Promise<void> {
  const marks = await databases.server(type).marks({ ...names, password: '' })
  const other = otherIn(marks ?? [], home.folder)
  if (other !== undefined) throw toManagerError(otherMark(names, other))
}

function marked(path: string): string {
  const shown = path.replaceAll(/[^ -~]|['\\]/g, '?').slice(0, longestPath)
  const hash = createHash('sha256').update(`${path}\0${machineId()}`).digest('hex').slice(0, 12)
  return `Steward ${shown} ${hash}`
}

/** Undefined: it is of another machine, or the path did not fit. */
function pathIn(mark: string): string | undefined {
  const path = /^Steward (\/.*) [0-9a-f]{12}$/.exec(mark)?.[1]
  return path !== undefined && marked(path) === mark ? path : undefined
}
