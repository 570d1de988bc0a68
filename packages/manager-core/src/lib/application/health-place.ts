import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import type { HealthPlace } from '../runtime/health.js'

/** Where the health of an instance is asked for. */
export async function healthPlace(
  { home, settings }: Pick<ManagerContext, 'home' | 'settings'>,
  { id, port }: Pick<Instance, 'id' | 'port'>,
): Promise<HealthPlace> {
  const { folder, app } = home.instance(id)
  return isWebapp(app)
    ? { port, context: (await settings.instance(folder).catch(() => undefined))?.context ?? '/' }
    : { port }
}
