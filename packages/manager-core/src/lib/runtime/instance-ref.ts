import type { Home } from '../domain/home.js'
import type { InstanceRef } from './runtime.js'
import type { OfInstance } from './runtimes.js'

/** An instance as its runtime knows it. */
export function refOf({ home }: { readonly home: Home }, { id, runtime }: OfInstance): InstanceRef & OfInstance {
  return { id, folder: home.instance(id).folder, ...(runtime !== undefined && { runtime }) }
}
