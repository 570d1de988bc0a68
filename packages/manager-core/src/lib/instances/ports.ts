import { createServer } from 'node:net'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'

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
  for (let port = from; port <= to; port++) if (!used.has(port) && (await canBind(port))) return port
  throw new ManagerError('ERR_LIMIT', `No port of APPS_PORTS (${from}-${to}) is free.`, {
    help: 'Widen APPS_PORTS in config.sh, or delete instances that are no longer needed.',
    command: 'config',
  })
}

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
