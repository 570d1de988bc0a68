import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import escapeHtml from 'escape-html'
import { Router } from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Context, Next } from 'koa'
import sirv from 'sirv'

export interface RecordsRouterOptions {
  /** Folders that the pages are in, as `<prefix>/ui/`; a browser that opens `<prefix>/` is led there. Default `''`. */
  readonly prefix?: string | readonly string[]
  /** Name of the application, for people. Default: `Records`. */
  readonly title?: string
  /** Address of the REST service, relative to the folder `ui/`. Default `../api/rest`. */
  readonly rest?: string
  /**
   * Whether people sign in on the pages, by `login` beside the REST service. `false`: the application knows its users by
   * itself, for example by a cookie. Default true.
   */
  readonly login?: boolean
  /** Whether people change their password on the pages, by `password` beside the REST service. Default: where they sign in. */
  readonly password?: boolean
  /** Address of a page to test requests, relative to the folder `ui/`. Default: there is none. */
  readonly tester?: string
  /** Asked for each request; with `false` the pages are not there. Default: always there. */
  readonly enabled?: () => boolean | Promise<boolean>
}

/** Nothing from elsewhere, nothing inline, no frames around. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  // A publication that the viewer of the browser shows.
  'frame-src blob:',
  'object-src blob:',
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ')

const safety = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Files of the build. */
const folder = fileURLToPath(new URL('./ui/', import.meta.url))

/**
 * Pages on which people see and change the records of a `restRouter` of the same origin. They need no credentials to be
 * loaded: they ask the service for metadata and records, and show what it answers to the user who is signed in.
 *
 * @throws Error when the pages were not built.
 *
 * @example
 * app.use(recordsRouter({ title: 'Shop' }).routes())
 * app.use(restRouter(service, { authenticate }).routes())
 */
export function recordsRouter(options: RecordsRouterOptions = {}): Router {
  const { prefix = '', enabled = () => true } = options
  const { first, send } = openPages(options)
  const router = new Router({ sensitive: true, strict: true })
  for (const base of [prefix].flat().map((one) => one.replace(/\/+$/, ''))) {
    router.get(
      'records',
      `${base}{/}`,
      ifEnabled((context, next) => lead(context, next, context.path.slice(context.path.lastIndexOf('/') + 1))),
    )
    router.get(
      'recordsStart',
      `${base}/ui`,
      ifEnabled((context, next) => lead(context, next, '')),
    )
    router.get(
      'recordsIcon',
      `${base}/favicon.ico`,
      ifEnabled((context) => sendFile(context, '/favicon.png')),
    )
    router.get(
      'recordsFile',
      `${base}/ui/assets/{*below}`,
      ifEnabled((context) => sendFile(context, `/assets/${below(context)}`)),
    )
    router.get(
      'recordsPage',
      `${base}/ui/{*below}`,
      ifEnabled((context) => page(context, below(context))),
    )
  }
  return router

  function ifEnabled(work: (context: RouterContext, next: Next) => unknown) {
    return async (context: RouterContext, next: Next): Promise<unknown> =>
      (await enabled()) ? work(context, next) : next()
  }

  /** Browsers are led to the pages, which are in `folder`; programs get the answer of the next middleware. */
  function lead(context: Context, next: Next, folder: string): unknown {
    context.vary('Accept')
    if (context.accepts('application/json', 'text/html') !== 'text/html') return next()
    // Relative, for proxies that serve the application below a path of theirs.
    return context.redirect(folder === '' ? 'ui/' : `${folder}/ui/`)
  }

  function sendFile(context: Context, path: string): Promise<void> {
    context.set(safety)
    return send(context, path)
  }

  /** @param path below `ui/` */
  function page(context: Context, path: string): void {
    context.set(safety)
    const depth = path.split('/').length - 1
    context.type = 'html'
    context.set('Cache-Control', 'no-cache')
    context.body = first(depth === 0 ? './' : '../'.repeat(depth))
    context.etag = `${first.digest}-${depth}`
    if (context.fresh) context.status = 304
  }
}

/** What `*below` of the route was in the address, as it was sent: the router decodes it, and its slashes would count. */
function below({ captures = [], matched = [], routerName }: RouterContext): string {
  const layer = matched.find(({ name }) => name === routerName)
  return captures.find((text, at) => text && layer?.paramNames[at]?.name === 'below') ?? ''
}

interface Pages {
  /** HTML of the page whose folder is at this relative address. */
  readonly first: ((base: string) => string) & { readonly digest: string }
  /** Answers with a file, in the best encoding that the client knows and the build made; 404 when there is none. */
  send(context: Context, path: string): Promise<void>
}

function openPages(options: RecordsRouterOptions): Pages {
  const { title = 'Records', rest = '../api/rest', login = true, password = login, tester = '' } = options
  const file = join(folder, 'index.html')
  if (!existsSync(file)) throw new Error(`The records pages are not in ${folder}. Build them with "npm run build".`)
  const settings = { title, rest, login: String(login), password: String(password), tester }
  const attributes = Object.entries(settings).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`)
  const html = readFileSync(file, 'utf8')
    .replace('<title>Records</title>', () => `<title>${escapeHtml(title)}</title>`)
    .replace('<body>', () => `<body ${attributes.join(' ')}>`)
  const first = Object.assign((base: string) => html.replace('<base href="/ui/"', `<base href="${base}"`), {
    digest: createHash('sha256').update(html).digest('base64url').slice(0, 16),
  })
  const files = sirv(folder, { etag: true, gzip: true, brotli: true, maxAge: 31_536_000, immutable: true, setHeaders })
  return {
    first,
    send: (context, path) =>
      new Promise((resolve) => {
        const { req, res } = context
        const asked = req.url
        req.url = path
        // The response is sent by sirv, which keeps headers that are set already.
        context.respond = false
        for (const [name, value] of Object.entries(context.response.headers)) if (value) res.setHeader(name, value)
        if (res.destroyed) return resolve()
        res.once('close', resolve)
        files(req, res, () => {
          context.respond = true
          req.url = asked
          context.throw(404)
        })
      }),
  }
}

/** Files under a name that does not change with their content are asked for again after a day. */
function setHeaders(response: ServerResponse, path: string): void {
  if (!path.startsWith('/assets/')) response.setHeader('Cache-Control', 'public,max-age=86400')
}
