import type { Context } from 'koa'
import { hasGone } from './client-gone.js'
import { createCompressor } from './compression.js'
import type { Encoding } from './compression.js'

/** The body of an answer whose headers were sent, in parts. */
export interface OpenBody {
  /** Resolves when the client can take more, or went away. */
  write(part: string | Uint8Array): Promise<void> | undefined
  end(part?: string | Uint8Array): void
}

/** Writes a body past Koa, compressed where asked, and counts what is sent in `ctx.state.bytes`. */
export function openBody(context: Context, encoding: Encoding | undefined): OpenBody {
  const { res, state } = context
  const compressor = encoding && createCompressor(encoding)
  const out = compressor ?? res
  let bytes = 0
  compressor?.on('data', count).once('error', () => res.destroy())
  if (compressor) res.once('close', () => compressor.destroy())
  compressor?.pipe(res)
  return {
    write(part) {
      if (!compressor) count(part)
      return out.write(part) ? undefined : drained(context, out)
    },
    end(part) {
      if (part === undefined) return void out.end()
      if (!compressor) count(part)
      out.end(part)
    },
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
