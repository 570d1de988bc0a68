import type { Context } from 'koa'
import { hasGone } from './client-gone.js'
import { createCompressor } from './compression.js'
import type { Encoding } from './compression.js'
import { keepPace, type Pace } from './pace.js'

/** The body of an answer whose headers were sent, in parts. */
export interface OpenBody {
  /** Resolves when the client can take more, or went away. */
  write(part: string | Uint8Array): Promise<void> | undefined
  end(part?: string | Uint8Array): void
}

/** Given to the client at once, and the least that it takes in the time of a `Pace`; in bytes. */
const pieceLength = 65_536

/**
 * Writes a body past Koa, compressed where asked, and counts what is sent in `ctx.state.bytes`.
 *
 * @param pace Default: the client takes all the time it wants.
 */
export function openBody(context: Context, encoding: Encoding | undefined, pace?: Pace): OpenBody {
  const { res, state } = context
  const compressor = encoding && createCompressor(encoding)
  const out = compressor ?? res
  const kept = pace && keepPace(context, pace)
  let bytes = 0
  compressor?.on('data', count).once('error', () => res.destroy())
  if (compressor) res.once('close', () => compressor.destroy())
  compressor?.pipe(res)
  return {
    write(part) {
      return kept && part.length > pieceLength ? writePieces(Buffer.from(part as Uint8Array)) : writePiece(part)
    },
    end(part) {
      if (part === undefined) return void out.end()
      if (!compressor) count(part)
      out.end(part)
    },
  }

  function writePiece(part: string | Uint8Array): Promise<void> | undefined {
    if (!compressor) count(part)
    if (out.write(part)) return undefined
    const waiting = drained(context, out)
    return kept ? waiting.finally(kept.waits()) : waiting
  }

  async function writePieces(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && !hasGone(context); at += pieceLength)
      await writePiece(bytes.subarray(at, at + pieceLength))
  }

  function count(part: string | Uint8Array): void {
    state['bytes'] = bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.length
  }
}

/** Waits until what was written has been taken, or the client went away. */
export function drained(context: Context, out: NodeJS.EventEmitter = context.res): Promise<void> {
  const { res } = context
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('drain', done)
      res.off('close', done)
      resolve()
    }
    if (hasGone(context)) return resolve()
    out.on('drain', done)
    res.on('close', done)
  })
}
