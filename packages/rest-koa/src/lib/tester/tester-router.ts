import { RestError } from '@steward/rest-core/errors'
import type { Layer, RouterContext } from '@koa/router'
import type { Context } from 'koa'
import { send, sendWhole } from '../http/answer.js'
import type { HeaderList } from '../http/delivery.js'
import type { Log } from '../http/log.js'
import { sendError } from '../http/send-error.js'
import { normalisePrefixes } from '../router/address.js'
import { entityTag, matchesWeakly } from '../router/entity-tag.js'
import { hasLevel, levels } from '../router/level.js'
import type { Level } from '../router/level.js'
import { layerOf, sentParameters, ServiceRouter } from '../routing/service-router.js'
import { loadAssets } from './assets.js'
import type { Asset } from './assets.js'
import { pageHtml } from './page-html.js'

export interface TesterRouterOptions {
  /** Addresses of the page; others go to the next middleware. Default `/api/tester`; `''` e.g. below koa-mount. */
  readonly prefix?: string | readonly string[]
  /** Name of the application, for people. Default: none. */
  readonly title?: string
  /** Address of the REST service, relative to the address of the page with a `/` after it. Default `../rest`. */
  readonly rest?: string
  /** Address of `login`, relative in the same way; `logout` is beside it. `false`: there are no tokens. Default `../login`. */
  readonly login?: string | false
  /** Compatibility level of the service; the page came with 3.2. Default: the latest. */
  readonly level?: Level
  /** Asked for each request; with `false` the page is not there (404). Default: always there. */
  readonly enabled?: () => boolean | Promise<boolean>
  /** See `restRouter`. */
  readonly log?: Log | undefined
}

/**
 * Nothing from outside, nothing inline, no frames around. `data:` and `blob:` pictures are those of answers. A rendered HTML
 * answer inherits this in its frame.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ')

const safety: Readonly<HeaderList> = [
  'Content-Security-Policy',
  contentSecurityPolicy,
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

/**
 * A page to build and send requests to a `restRouter` of the same origin. It needs no credentials to be loaded: people sign
 * in on it, and it shows what the service answers them.
 *
 * Source: docs/spec/rest-service.md, "What the service does", 6.
 *
 * @throws TypeError for options that cannot be.
 *
 * @example
 * app.use(testerRouter({ title: 'Shop', enabled: () => parameters.isYes('USE_API_TESTER', true) }).routes())
 */
export function testerRouter(options: TesterRouterOptions = {}): ServiceRouter {
  const { prefix = '/api/tester', level = '5.1', enabled = () => true, log } = options
  if (!levels.includes(level)) throw new TypeError(`Level "${level}" does not exist; levels are ${levels.join(', ')}.`)
  const router = new ServiceRouter({ prefixes: normalisePrefixes(prefix) })

  if (hasLevel(level, '3.2')) {
    router.serve('tester', '/', answer)
    router.serve('testerFile', '/*file', answer)
  }
  return router

  async function answer(context: RouterContext): Promise<void> {
    const { file } = sentParameters(layerOf(context, answer) as Layer, context.captures ?? [])
    try {
      if (!(await enabled())) throw RestError.notFound('The tester page')
      const assets = await loadAssets()
      const asset = file === undefined ? undefined : assets.byName.get(file)
      if (file !== undefined && !asset) throw RestError.notFound(`Address "${context.path.slice(0, 200)}"`)
      if (context.method !== 'GET' && context.method !== 'HEAD') {
        context.set('Allow', 'GET, HEAD')
        throw new RestError('ERR_METHOD', `${context.method} does not work on this address.`)
      }
      if (asset) return sendAsset(context, asset)
      const { title = '', rest = '../rest', login = '../login' } = options
      const html = pageHtml({ title, level, rest, login, folder: folderOf(context), assets })
      sendTagged(context, entityTag(html), 'text/html; charset=utf-8', 'no-cache', html)
    } catch (error) {
      sendError(context, error, { log })
    }
  }
}

/** A file whose name changes with its content. */
function sendAsset(context: Context, { tag, type, content }: Asset): void {
  sendTagged(context, tag, type, 'public, max-age=31536000, immutable', content)
}

function sendTagged(context: Context, tag: string, type: string, caching: string, body: string | Buffer): void {
  const headers = [...safety, 'ETag', tag, 'Cache-Control', caching]
  const known = context.req.headers['if-none-match']
  if (known !== undefined && matchesWeakly(known, tag)) send(context, 'direct', 304, headers)
  else sendWhole(context, 'direct', 200, [...headers, 'Content-Type', type], body, Buffer.byteLength(body))
}

/**
 * The folder of the page's files relative to the page as the browser knows it, which may be with or without a `/` at the end,
 * and below what a mount or a proxy has taken off.
 */
function folderOf({ originalUrl }: Context): string {
  const path = originalUrl.replace(/[?#].*$/s, '')
  return path.endsWith('/') ? './' : `${path.slice(path.lastIndexOf('/') + 1)}/`
}
