import koaCors from '@koa/cors'
import type { Middleware } from 'koa'
import { answerHeaders } from '../http/answer-headers.js'

export interface CorsOptions {
  /** Origins of pages that may call, e.g. `https://app.example.org`; `*` for all, then without credentials. */
  readonly origins: '*' | readonly string[]
  /** Pages may send cookies and logins kept by the browser. Default false; a header set by the page's code needs it not. */
  readonly credentials?: boolean
  /** How long browsers may remember the permission, in seconds. Default 600. */
  readonly maxAgeSeconds?: number
  /** Headers that pages may read besides the simple ones. Default: those that the API sets. */
  readonly exposeHeaders?: readonly string[]
}

/**
 * Lets pages of other origins call. Without this middleware browsers refuse them. Put it before the routers: to them a
 * listed origin is not a foreign one.
 *
 * @throws TypeError for an origin that is none, and for credentials with `*`.
 *
 * @example
 * app.use(cors({ origins: ['https://app.example.org'] }))
 */
export function cors({
  origins,
  credentials = false,
  maxAgeSeconds = 600,
  exposeHeaders = answerHeaders,
}: CorsOptions): Middleware {
  if (origins === '*' && credentials)
    throw new TypeError('CORS with credentials needs a list of origins, "*" would let every page act as the user.')
  const allowed = new Set(origins === '*' ? [] : origins.map(checkOrigin))
  return koaCors({
    origin({ req, state }) {
      if (origins === '*') return '*'
      const origin = req.headers.origin ?? ''
      if (!allowed.has(origin)) return ''
      // For `refuseForeignPage`.
      state['allowedOrigin'] = origin
      return origin
    },
    credentials,
    allowMethods: 'GET,HEAD,POST,PUT,DELETE',
    maxAge: maxAgeSeconds,
    exposeHeaders: [...exposeHeaders],
  })
}

function checkOrigin(origin: string): string {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw new TypeError(`"${origin}" is not an origin; give scheme, host and port alone, e.g. https://app.example.org.`)
  }
  return origin
}
