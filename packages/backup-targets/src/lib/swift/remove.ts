import type { CallOptions, SweepOptions } from '../target.js'
import { sweepSegments } from './segments.js'
import { placeOf, type SwiftContainer } from './store.js'

export async function remove(container: SwiftContainer, key: string, { signal }: CallOptions = {}): Promise<boolean> {
  return container.store.delete(placeOf(container, key), signal)
}

/** Removes segments of uploads that were started before and never ended. */
export async function sweep({ settings, store }: SwiftContainer, options: SweepOptions): Promise<number> {
  const { before, prefix = '', signal } = options
  return sweepSegments(store, { container: settings.container, prefix: settings.prefix + prefix, before, signal })
}
