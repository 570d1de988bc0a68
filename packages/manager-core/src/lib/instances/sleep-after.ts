import { readFileSync } from 'node:fs'
import { healthPlace } from '../application/health-place.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { checkHealth } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import { socketPathOf } from '../runtime/instance-socket.js'
import { isUsed } from './connections.js'

/** How long an instance is idle until it is put to sleep, in ms; 0: it is not. Only behind the proxy is it woken. */
export async function sleepAfterMs(
  { settings, home }: Pick<ManagerContext, 'settings' | 'home'>,
  { id }: Pick<Instance, 'id'>,
): Promise<number> {
  const { proxy, sleepAfterMs: ofAll } = settings.global
  if (!proxy.enabled) return 0
  const { folder, settings: file } = home.instance(id)
  // It is asked for all again and again: most files need not be parsed for it.
  if (!readFileSync(file, 'utf8').includes('SERVICE_SLEEP_AFTER')) return ofAll
  return (await settings.instance(folder)).sleepAfterMs ?? ofAll
}

/**
 * Whether an idle instance may be put to sleep: it is healthy, no client is connected to it past the reverse
 * proxy, and it reports no work in the section `activity` of its `/health`.
 */
export async function isIdle(
  context: Pick<ManagerContext, 'home' | 'runtimes'>,
  instance: Pick<Instance, 'id' | 'port' | 'runtime'>,
): Promise<boolean> {
  const { port } = instance
  if (isUsed({ port, socket: socketPathOf(refOf(context, instance)) })) return false
  const { ok, sections } = await checkHealth(healthPlace(context, instance))
  return ok && Object.values(sections['activity'] ?? {}).every((count) => count === '0')
}
