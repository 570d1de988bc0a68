import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'

/** Answers of HTTP/2 do not report that they are destroyed. */
type MaybeHttp2 = ServerResponse & { readonly stream?: { readonly destroyed: boolean } }

/** Whether nothing that is written reaches the client any more. */
export function hasGone({ req, res }: Context): boolean {
  const { stream } = res as MaybeHttp2
  return stream ? stream.destroyed : res.destroyed || req.socket.destroyed
}

/** Made once: an error of its own for each answer would cost ten times the rest. */
const left = new Error('The client went away, or has its whole answer.')

/**
 * Aborted when the client goes away, or has its whole answer; at once when it went before. Asking late, e.g. after a
 * look-up, misses nothing.
 */
export function clientGone(context: Context): AbortSignal {
  const gone = new AbortController()
  const { req, res } = context
  if (hasGone(context)) gone.abort(left)
  else if (res.socket !== null || 'stream' in res) res.once('close', () => gone.abort(left))
  else {
    // It waits for an earlier answer of this connection; Node 22 does not notify it that the connection has ended.
    setMaxListeners(0, req.socket)
    const abort = () => {
      res.off('close', abort)
      req.socket.off('close', abort)
      gone.abort(left)
    }
    res.once('close', abort)
    req.socket.once('close', abort)
  }
  return gone.signal
}
