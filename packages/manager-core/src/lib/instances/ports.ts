import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { isPortFree } from '../system/port.js'

/** How long others may take to choose a port, in ms: they only insert a row. */
const portsWaitMs = 60_000

/**
 * Takes a free port by writing it down; the lock `ports` is held for that moment only.
 *
 * @param wanted taken when it is free. Default: none
 */
export function takePort<T>(
  context: ManagerContext,
  signal: AbortSignal,
  take: (port: number) => T,
  wanted?: number,
): Promise<T> {
  const options = { purpose: `choice of a port, process ${process.pid}`, waitMs: portsWaitMs, signal }
  return context.locks.with(['ports'], options, async () => take(await freePort(context, wanted)))
}

/**
 * The lowest port of APPS_PORTS that belongs to no instance, is kept for none, and that has no listener.
 *
 * @throws ManagerError ERR_LIMIT
 */
export async function freePort({ registry, settings }: ManagerContext, wanted?: number): Promise<number> {
  const { from, to } = settings.global.ports
  const used = registry.usedPorts()
  if (wanted !== undefined && !used.has(wanted) && (await isPortFree(wanted))) return wanted
  for (let port = from; port <= to; port++) if (!used.has(port) && (await isPortFree(port))) return port
  throw new ManagerError('ERR_LIMIT', `No port of APPS_PORTS (${from}-${to}) is free.`, {
    help: 'Widen APPS_PORTS in config.sh, or delete instances that are no longer needed.',
    command: 'config',
  })
}
