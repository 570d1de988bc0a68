// @ts-check

/** Megabytes of the heap, for instances whose settings and version say nothing. */
const heapMb = 128

/**
 * Processes that are held to small limits, for instances that are hardly used: `APPS_RUNTIMES` names this package.
 *
 * @type {import('@steward/manager-core').RuntimePlugin}
 */
export const runtime = {
  runs: ['node'],

  make({ named }) {
    const processes = named('process')
    /** @param {import('@steward/manager-core').InstanceSpec} spec */
    const small = (spec) => ({ ...spec, maxMemoryMb: spec.maxMemoryMb ?? heapMb })
    return {
      ...processes,
      name: '@steward/example-runtime-small',
      define: (spec) => processes.define(small(spec)),
      start: (spec, options) => processes.start(small(spec), options),
    }
  },
}
