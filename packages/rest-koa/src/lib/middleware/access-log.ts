import type { Writable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { createClientAddress } from '../http/client-address.js'
import type { TrustProxy } from '../http/client-address.js'
import { withoutSecrets } from './without-secrets.js'

/** What a structured line is written to; a pino logger fits. */
export interface AccessLogger {
  info(details: object, message: string): void
}

export type AccessLogOptions = {
  /** Proxies that are believed about the client's address. Default: none. */
  readonly trustProxy?: TrustProxy
} & (
  | { readonly format: 'pino'; readonly logger: AccessLogger }
  /** The NCSA combined format of Apache and nginx. */
  | { readonly format: 'combined'; readonly stream: Writable }
)

/** One finished request. */
interface Entry {
  readonly address: string
  readonly user: string | undefined
  /** The user whose view was asked for. */
  readonly viewAs: string | undefined
  readonly requestId: string | undefined
  readonly method: string
  readonly url: string
  readonly httpVersion: string
  readonly status: number
  readonly bytes: number
  readonly durationMs: number
  /** The connection ended before the answer did. */
  readonly aborted: boolean
  readonly referrer: string | undefined
  readonly userAgent: string | undefined
  readonly start: Date
}

/**
 * Writes a line per request when its answer is finished or broken off. Headers with credentials are never in it, values
 * of query parameters that look like secrets are replaced by `***`.
 *
 * @example
 * app.use(accessLog({ format: 'pino', logger: pino() }))
 */
export function accessLog(options: AccessLogOptions): Middleware {
  const client = createClientAddress(options.trustProxy)
  const write = options.format === 'pino' ? toLogger(options.logger) : toStream(options.stream)
  return function accessLog(context, next) {
    const start = new Date()
    const startMs = performance.now()
    const address = client.of(context.req)
    context.res.once('close', () => write(entryOf(context, address, start, performance.now() - startMs)))
    return next()
  }
}

function entryOf(
  { req, res, state, originalUrl, response }: Context,
  address: string,
  start: Date,
  durationMs: number,
): Entry {
  return {
    address,
    user: (state['principal'] as { login: string } | undefined)?.login,
    viewAs: state['viewAs'] as string | undefined,
    requestId: state['requestId'] as string | undefined,
    method: req.method ?? '',
    url: withoutSecrets(originalUrl),
    httpVersion: req.httpVersion,
    status: res.statusCode,
    bytes: req.method === 'HEAD' ? 0 : ((state['bytes'] as number | undefined) ?? response.length ?? 0),
    durationMs,
    aborted: !res.writableFinished,
    referrer: req.headers.referer && withoutSecrets(req.headers.referer),
    userAgent: req.headers['user-agent'],
    start,
  }
}

function toLogger(logger: AccessLogger): (entry: Entry) => void {
  return ({ durationMs, start: _start, httpVersion: _version, aborted, ...entry }) => {
    logger.info({ ...entry, durationMs: Math.round(durationMs * 1000) / 1000, ...(aborted && { aborted }) }, 'request')
  }
}

function toStream(stream: Writable): (entry: Entry) => void {
  return (entry) => {
    const request = `${entry.method} ${entry.url} HTTP/${entry.httpVersion}`
    const bytes = entry.bytes === 0 ? '-' : entry.bytes
    stream.write(
      `${plain(entry.address)} - ${plain(entry.viewAs === undefined ? entry.user : `${entry.user} as ${entry.viewAs}`)} [${apacheTime(entry.start)}] "${quoted(request)}" ${entry.status} ${bytes} "${quoted(entry.referrer)}" "${quoted(entry.userAgent)}"\n`,
    )
  }
}

/** A field without quotes: nothing in it may look like the next field. */
function plain(text: string | undefined): string {
  return text ? quoted(text).replaceAll(' ', '\\x20') : '-'
}

/** As Apache escapes: a client cannot write lines of its own into the log. */
function quoted(text: string | undefined): string {
  if (!text) return '-'
  return text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  })
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `10/Oct/2000:13:55:36 +0000` */
function apacheTime(time: Date): string {
  const iso = time.toISOString()
  return `${iso.slice(8, 10)}/${months[time.getUTCMonth()]}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`
}
