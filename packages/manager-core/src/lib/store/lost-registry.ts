import { readdirSync, statSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import { rebuildCommand } from '../system/failure.js'

/**
 * An empty registry beside instances would only hide that it is gone.
 *
 * @throws ManagerError ERR_HOME
 */
export function assertNotLost({ database, instances }: Pick<Home, 'database' | 'instances'>): void {
  const size = statSync(database, { throwIfNoEntry: false })?.size
  if ((size !== undefined && size > 0) || !holdsInstances(instances)) return
  const what = size === undefined ? 'missing' : 'empty'
  throw new ManagerError('ERR_HOME', `The registry ${database} is ${what}, although ${instances} contains instances.`, {
    help: 'Rebuild it from its copies and the files on this disk.',
    command: rebuildCommand,
  })
}

function holdsInstances(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
