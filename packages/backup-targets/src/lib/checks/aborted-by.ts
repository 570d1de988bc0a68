import type { BackupTarget, CallOptions } from '../target.js'

/** A target whose calls are aborted by this signal, too. */
export function abortedBy(target: BackupTarget, signal: AbortSignal): BackupTarget {
  const also = <Options extends CallOptions>(options: Options): Options => ({
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
  })
  return {
    get capabilities() {
      return target.capabilities
    },
    put: (key, source, options = {}) => target.put(key, source, also(options)),
    get: (key, options = {}) => target.get(key, also(options)),
    stat: (key, options = {}) => target.stat(key, also(options)),
    list: (options = {}) => target.list(also(options)),
    delete: (key, options = {}) => target.delete(key, also(options)),
    get hash() {
      const hash = target.hash?.bind(target)
      return hash && ((key: string, options: CallOptions = {}) => hash(key, also(options)))
    },
    sweep: (options) => target.sweep(also(options)),
    close: () => target.close(),
  }
}
