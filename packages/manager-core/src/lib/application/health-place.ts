import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { isWebapp } from '../files/webapp.js'
import type { HealthPlace } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import { servedContext } from '../runtime/tomcat/served-context.js'

/** Where the health of an instance is asked for. */
export function healthPlace(
  context: Pick<ManagerContext, 'home' | 'runtimes'>,
  instance: Pick<Instance, 'id' | 'port'> & Partial<Pick<Instance, 'runtime'>>,
): HealthPlace {
  const { id, port } = instance
  const place = context.home.instance(id)
  const owned = { port, owner: ownerOfPort(context.runtimes, refOf(context, instance)) }
  return isWebapp(place.app) ? { ...owned, context: servedContext(place) ?? '/' } : owned
}
