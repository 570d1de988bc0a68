import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { TargetError } from '../target-error.js'
import type { BackupTarget, ListPage, Source } from '../target.js'

/**
 * Targets that do harm on purpose, around one that works: for tests of what stands above targets, and proof that the
 * checks of the contract find it.
 */

/** Bytes on their way; yields other ones. */
type Change = (chunks: AsyncIterable<Buffer>, start: number) => AsyncIterable<Buffer>

function changed(stream: Readable, start: number, change: Change): Readable {
  return Readable.from(change(stream, start), { objectMode: false })
}

function changedSource(source: Source, change: Change): Source {
  return { size: source.size, open: async (start = 0) => changed(await source.open(start), start, change) }
}

/** The calls of a target with some of them changed; it may be an object of a class. */
function around(target: BackupTarget, changes: Partial<BackupTarget>): BackupTarget {
  return {
    capabilities: target.capabilities,
    put: (...args) => target.put(...args),
    get: (...args) => target.get(...args),
    stat: (...args) => target.stat(...args),
    list: (...args) => target.list(...args),
    delete: (...args) => target.delete(...args),
    ...(target.hash && { hash: target.hash.bind(target) }),
    sweep: (...args) => target.sweep(...args),
    close: () => target.close(),
    ...changes,
  }
}

/** Connections are reset when that many bytes of an upload or a download have passed, that many times. */
export function cutting(target: BackupTarget, { afterBytes = 0, times = Infinity } = {}): BackupTarget {
  let left = times
  async function* cut(chunks: AsyncIterable<Buffer>) {
    let passed = 0
    for await (const chunk of chunks) {
      if (left > 0 && passed + chunk.length > afterBytes) {
        left--
        yield chunk.subarray(0, afterBytes - passed)
        throw new TargetError('ERR_TARGET_UNREACHABLE', 'The connection was reset.')
      }
      passed += chunk.length
      yield chunk
    }
  }
  return around(target, {
    put: (key, source, options) => target.put(key, changedSource(source, cut), options),
    get: async (key, options) => changed(await target.get(key, options), 0, cut),
  })
}

/** Each call and each chunk waits first. */
export function slow(target: BackupTarget, pauseMs: number): BackupTarget {
  async function* late(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      await sleep(pauseMs)
      yield chunk
    }
  }
  const first = async <T>(call: () => Promise<T>): Promise<T> => {
    await sleep(pauseMs)
    return call()
  }
  return around(target, {
    put: (key, source, options) => first(() => target.put(key, changedSource(source, late), options)),
    get: (key, options) => first(async () => changed(await target.get(key, options), 0, late)),
    stat: (key, options) => first(() => target.stat(key, options)),
    list: (options) => first(() => target.list(options)),
    delete: (key, options) => first(() => target.delete(key, options)),
  })
}

/** An upload is silent for ever after that many bytes, that many times; a download too. It hears no signal. */
export function silent(target: BackupTarget, { afterBytes = 0, times = Infinity } = {}): BackupTarget {
  let left = times
  async function* silence(chunks: AsyncIterable<Buffer>) {
    let passed = 0
    for await (const chunk of chunks) {
      if (left > 0 && passed + chunk.length > afterBytes) {
        left--
        yield chunk.subarray(0, afterBytes - passed)
        await new Promise(() => {})
      }
      passed += chunk.length
      yield chunk
    }
  }
  return around(target, {
    async put(key, source, options) {
      if (left <= 0) return target.put(key, source, options)
      // It continues asking for bytes, as a connection does until its buffers are full.
      for await (const chunk of silence(await source.open())) options?.onProgress?.(chunk.length)
      return target.put(key, source, options)
    },
    get: async (key, options) => changed(await target.get(key, options), 0, silence),
  })
}

/** Stores one byte less, and reports the size that was asked for. */
export function wrongSize(target: BackupTarget): BackupTarget {
  async function* shorter(chunks: AsyncIterable<Buffer>) {
    let last: Buffer | undefined
    for await (const chunk of chunks) {
      if (last) yield last
      last = chunk
    }
    if (last) yield last.subarray(0, -1)
  }
  return around(target, {
    async put(key, source, options) {
      const stored = await target.put(key, { ...changedSource(source, shorter), size: undefined }, options)
      return { ...stored, size: source.size ?? stored.size }
    },
  })
}

/** Flips one bit of what it stores, and says nothing. */
export function corrupting(target: BackupTarget, { atByte = 100 } = {}): BackupTarget {
  async function* flip(chunks: AsyncIterable<Buffer>, start: number) {
    let at = start
    for await (const chunk of chunks) {
      const place = atByte - at
      at += chunk.length
      if (place < 0 || place >= chunk.length) {
        yield chunk
        continue
      }
      const other = Buffer.from(chunk)
      other.writeUInt8(other.readUInt8(place) ^ 1, place)
      yield other
    }
  }
  return around(target, { put: (key, source, options) => target.put(key, changedSource(source, flip), options) })
}

/** A list returns what the list before should have returned. */
export function listLag(target: BackupTarget): BackupTarget {
  const before = new Map<string, ListPage>()
  return around(target, {
    async list(options = {}) {
      const { signal: _signal, ...asked } = options
      const id = JSON.stringify(asked)
      const page = await target.list(options)
      const shown = before.get(id) ?? { objects: [], next: undefined }
      before.set(id, page)
      return shown
    },
  })
}

/** Calls an upload good whose source failed, and keeps what has arrived. */
export function trusting(target: BackupTarget): BackupTarget {
  async function* whatComes(chunks: AsyncIterable<Buffer>) {
    try {
      yield* chunks
    } catch {
      // As good as the end.
    }
  }
  return around(target, {
    put: (key, source, options) =>
      target.put(key, { ...changedSource(source, whatComes), size: undefined }, { ...options, upload: undefined }),
  })
}

/** Continues an upload of the same name without a look at what is there. */
export function blending(target: BackupTarget): BackupTarget {
  const arrived = new Map<string, Buffer>()
  return around(target, {
    put(key, source, options) {
      const id = `${key} ${options?.upload}`
      async function* blended(chunks: AsyncIterable<Buffer>) {
        const before = arrived.get(id) ?? Buffer.alloc(0)
        let at = 0
        for await (const chunk of chunks) {
          const old = before.subarray(at, at + chunk.length)
          const bytes = Buffer.concat([old, chunk.subarray(old.length)])
          at += chunk.length
          if (at > before.length)
            arrived.set(id, Buffer.concat([arrived.get(id) ?? before, bytes.subarray(old.length)]))
          yield bytes
        }
      }
      return target.put(key, changedSource(source, blended), options)
    },
  })
}

/** Returns the hashes of other bytes. */
export function wrongHash(target: BackupTarget): BackupTarget {
  return around(target, {
    async hash(key, options) {
      const hashes = Object.entries((await target.hash?.(key, options)) ?? {})
      return Object.fromEntries(hashes.map(([name, hash]) => [name, hash.replaceAll(/./g, '0')]))
    },
  })
}

/** Sweeps nothing, and says so. */
export function untidy(target: BackupTarget): BackupTarget {
  return around(target, { sweep: () => Promise.resolve(0) })
}

/** Objects grow under their final keys. */
export function visible(target: BackupTarget): BackupTarget {
  async function* growing(key: string, chunks: AsyncIterable<Buffer>) {
    const there: Buffer[] = []
    for await (const chunk of chunks) {
      there.push(chunk)
      const bytes = Buffer.concat(there)
      await target.put(key, { open: () => Readable.from([bytes], { objectMode: false }) })
      yield chunk
    }
  }
  return around(target, {
    put: (key, source, options) =>
      target.put(
        key,
        changedSource(source, (chunks) => growing(key, chunks)),
        options,
      ),
  })
}

/** Replaces what it was asked to keep. */
export function overwriting(target: BackupTarget): BackupTarget {
  return around(target, { put: (key, source, options) => target.put(key, source, { ...options, ifAbsent: false }) })
}

/** Does not hear signals. */
export function deaf(target: BackupTarget): BackupTarget {
  return around(target, {
    put: (key, source, options) => target.put(key, source, { ...options, signal: undefined }),
    get: (key, options) => target.get(key, { ...options, signal: undefined }),
    stat: (key) => target.stat(key),
    list: (options) => target.list({ ...options, signal: undefined }),
    delete: (key) => target.delete(key),
  })
}

/** A stream that is cut just ends. */
export function endingEarly(target: BackupTarget): BackupTarget {
  async function* half(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      yield chunk.subarray(0, chunk.length >> 1)
      return
    }
  }
  return around(target, { get: async (key, options) => changed(await target.get(key, options), 0, half) })
}

/** The first calls of all kinds fail so. */
export function failing(target: BackupTarget, error: TargetError, times: number): BackupTarget {
  let left = times
  const first = async <T>(call: () => Promise<T>): Promise<T> => {
    if (left-- > 0) throw error
    return call()
  }
  return around(target, {
    put: (key, source, options) => first(() => target.put(key, source, options)),
    get: (key, options) => first(() => target.get(key, options)),
    stat: (key, options) => first(() => target.stat(key, options)),
    list: (options) => first(() => target.list(options)),
    delete: (key, options) => first(() => target.delete(key, options)),
    sweep: (options) => first(() => target.sweep(options)),
  })
}
