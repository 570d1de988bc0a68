import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import type { HealthPlace } from '../runtime/health.js'
import { servedContext } from '../runtime/tomcat/served-context.js'

/** Where the health of an instance is asked for. */
export function healthPlace(
  { home }: Pick<ManagerContext, 'home'>,
  { id, port }: Pick<Instance, 'id' | 'port'>,
): HealthPlace {
  const place = home.instance(id)
  return isWebapp(place.app) ? { port, context: servedContext(place) ?? '/' } : { port }
}
