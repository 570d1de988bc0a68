import type { StoreSession } from '../store.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

const contexts = new WeakMap<BusinessObjects, Pick<ServiceContext, 'session'>>()

export function rememberSession(service: BusinessObjects, context: Pick<ServiceContext, 'session'>): void {
  contexts.set(service, context)
}

/** Where a service writes, for actions of system objects whose records are not written through the service. */
export async function sessionOf(service: BusinessObjects): Promise<StoreSession> {
  const context = contexts.get(service)
  if (!context) throw new TypeError('This service was not made by createBusinessObjects.')
  return context.session(undefined)
}
