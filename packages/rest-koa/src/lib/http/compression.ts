import type { Transform } from 'node:stream'
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import type { Context } from 'koa'
import type { Delivery, HeaderList } from './delivery.js'

/** Those that a client likes as much are preferred in this order. */
export const encodings = ['zstd', 'br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Bodies from this length on are compressed. What it costs from which length on: bench/README.md, "Compression". */
const compressedFrom = 2048

/** Up to this length a synchronous call costs less than a trip through the thread pool, and blocks for about 0.1 ms. */
export const synchronousUpTo = 32_768

// Higher levels take two to four times the CPU time to save a quarter of the bytes at most.
const gzip = { level: 1, flush: constants.Z_SYNC_FLUSH }
const brotli = {
  // Each write comes out at once, so that clients see rows as they are read.
  flush: constants.BROTLI_OPERATION_FLUSH,
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

const zstd = {
  flush: constants.ZSTD_e_flush,
  // A fifth fewer bytes than the others at their levels, for no more CPU time; the window bounds the memory of a stream.
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_windowLog]: 18 },
}

const compressors = {
  zstd: { sync: (body: string | Uint8Array) => zstdCompressSync(body, zstd), stream: () => createZstdCompress(zstd) },
  br: {
    sync: (body: string | Uint8Array) => brotliCompressSync(body, brotli),
    stream: () => createBrotliCompress(brotli),
  },
  gzip: { sync: (body: string | Uint8Array) => gzipSync(body, gzip), stream: () => createGzip(gzip) },
} as const satisfies Record<Encoding, object>

export function compressSync(body: string | Uint8Array, encoding: Encoding): Buffer {
  return compressors[encoding].sync(body)
}

/** Compresses off the main thread; each write is flushed. */
export function createCompressor(encoding: Encoding): Transform {
  return compressors[encoding].stream()
}

/**
 * How the client gets a body: compressed or, with `undefined`, as it is. Adds `Vary` where that depends on the request.
 *
 * @param headers of the answer, which is still to be written.
 * @param length of the body before compression. Default: unknown, as of streams, which are worth it.
 */
export function negotiate(
  context: Context,
  delivery: Delivery,
  headers: HeaderList,
  length = Infinity,
): Encoding | undefined {
  if (delivery !== 'compressed' || length === 0) return undefined
  const { 'accept-encoding': header = '', 'cache-control': caching } = context.req.headers
  const pays = length >= compressedFrom
  // Only `q=0` refuses an uncompressed body.
  if (!pays && !header.includes('q=0')) return undefined
  // A header that is set before the others are written makes writing them several times slower.
  if (context.res.hasHeader('Vary')) context.vary('Accept-Encoding')
  else headers.push('Vary', 'Accept-Encoding')
  if (header === '') return undefined
  if (caching?.includes('no-transform')) return undefined
  const { encoding, identity } = readAcceptEncoding(header)
  return pays || !identity ? encoding : undefined
}

export interface Accepted {
  /** The compression that the client likes best, unless it prefers none. */
  readonly encoding: Encoding | undefined
  /** Whether the client takes an uncompressed body. */
  readonly identity: boolean
}

/** Reads `Accept-Encoding`. Source: RFC 9110, section 12.5.3. */
export function readAcceptEncoding(header: string): Accepted {
  const weights = new Map(header.toLowerCase().split(',').map(readWeight))
  const others = weights.get('*')
  // Who takes anything was perhaps written before there was zstd.
  const weightOf = (name: string): number => weights.get(name) ?? (name === 'zstd' ? 0 : others) ?? 0
  const best = encodings.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one))
  const weight = weightOf(best)
  return {
    encoding: weight > 0 && weight >= (weights.get('identity') ?? 0) ? best : undefined,
    identity: weights.get('identity') !== 0 && (weights.has('identity') || others !== 0),
  }
}

function readWeight(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
