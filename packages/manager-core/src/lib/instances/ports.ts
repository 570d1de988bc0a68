import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { isPortFree } from './port.js'

/**
 * The lowest port of APPS_PORTS that belongs to no instance and that nobody listens on.
 *
 * @throws ManagerError ERR_LIMIT
 */
export async function freePort({ registry, settings }: ManagerContext): Promise<number> {
  const { from, to } = settings.global.ports
  const used = new Set(
    registry.database
      .prepare('select port from instance')
      .all()
      .map(({ port }) => port),
  )
  for (let port = from; port <= to; port++) if (!used.has(port) && (await isPortFree(port))) return port
  throw new ManagerError('ERR_LIMIT', `No port of APPS_PORTS (${from}-${to}) is free.`, {
    help: 'Widen APPS_PORTS in config.sh, or delete instances that are no longer needed.',
    command: 'config',
  })
}
