import type { Home } from '../domain/home.js'
import type { InstanceRef } from './runtime.js'

/** An instance as its runtime knows it. */
export function refOf({ home }: { readonly home: Home }, { id }: { readonly id: string }): InstanceRef {
  return { id, folder: home.instance(id).folder }
}
