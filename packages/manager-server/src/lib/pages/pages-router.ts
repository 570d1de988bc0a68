import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Router } from '@koa/router'
import type { Context } from 'koa'
import sirv from 'sirv'
import type { Access } from '../access/access.js'
import type { Addressing } from '../addressing.js'
import { createRouter } from '../create-router.js'
import { HttpError } from '../http-error.js'
import type { ServerState } from '../server-state.js'

export interface PagesRouterOptions {
  readonly access: Access
  readonly addressing: Addressing
  /** Default: that of this package. */
  readonly folder?: string | undefined
}

const signInPage = '/ui/sign-in'

/**
 * The pages at `/ui`: files that Vite made, under names that change with their content; every other address below it is
 * the first page, which finds its view by itself. Both are read when the server starts. They are no secret: what they
 * show comes from the API.
 */
export function pagesRouter({ access, addressing, folder = builtPages() }: PagesRouterOptions): Router<ServerState> {
  const pages = openPages(folder, `${addressing.prefix}/ui/`)
  const router = createRouter(addressing)
  const lead = (context: Context): void => context.redirect(`${addressing.prefix}/ui/`)
  router.all('root', '{/}', lead)
  router.all('start', '/ui', lead)
  if (pages) router.all('icon', '/favicon.ico', (context) => pages.send(context, '/favicon.png'))
  return router.get('page', '/ui/{*page}', page)

  async function page(context: Context): Promise<void> {
    const path = context.path.slice(addressing.prefix.length)
    const isFile = path.startsWith('/ui/assets/')
    if (!isFile && path !== signInPage && !(await mayOpen(context)))
      return context.redirect(`${addressing.prefix}${signInPage}?next=${encodeURIComponent(context.url)}`)
    if (!pages) throw new HttpError(404, 'ERR_NOT_FOUND', `There are no pages in ${folder}.`, { help: 'Build them.' })
    if (isFile) return pages.send(context, path.slice('/ui'.length))
    context.type = 'html'
    context.set('Cache-Control', 'no-cache')
    context.body = pages.first
  }

  /** Browsers are sent to the page that asks for a password; programs get the usual answer. */
  async function mayOpen({ req, res }: Context): Promise<boolean> {
    const isBrowser = req.headers.authorization === undefined && /\btext\/html\b/i.test(req.headers.accept ?? '')
    if (isBrowser) return access.isSignedIn(req)
    await access.authenticate(req, res)
    return true
  }
}

interface Pages {
  /** HTML of the first page. */
  readonly first: string
  /**
   * Answers with a file, in the best encoding that the client knows and the build made.
   *
   * @throws HttpError 404
   */
  send(context: Context, path: string): Promise<void>
}

/** @returns undefined when nothing was built there */
function openPages(folder: string, base: string): Pages | undefined {
  const file = join(folder, 'index.html')
  if (!existsSync(file)) return undefined
  const files = sirv(folder, { etag: true, gzip: true, brotli: true, maxAge: 31_536_000, immutable: true, setHeaders })
  return {
    first: readFileSync(file, 'utf8').replace('<base href="/ui/"', `<base href="${base}"`),
    send: (context, path) =>
      new Promise((resolve, reject) => {
        const { req, res } = context
        const asked = req.url
        req.url = path
        // What is set already would go before what is good for files.
        context.remove('Cache-Control')
        context.respond = false
        if (res.destroyed) return resolve()
        res.once('close', resolve)
        files(req, res, () => {
          context.respond = true
          req.url = asked
          reject(new HttpError(404, 'ERR_NOT_FOUND', 'There is no such file: the pages may have been updated.'))
        })
      }),
  }
}

/** In this package, wherever in it the code has been bundled to. */
function builtPages(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return join(folder, 'dist/ui')
}

/** Files under a name that does not change with their content are asked for again after a day. */
function setHeaders(response: ServerResponse, path: string): void {
  if (!path.startsWith('/assets/')) response.setHeader('Cache-Control', 'public,max-age=86400')
}
