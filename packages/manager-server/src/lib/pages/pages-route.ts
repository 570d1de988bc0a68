import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import sirv from 'sirv'
import type { Access } from '../access/access.js'
import type { Addressing } from '../addressing.js'
import type { ServerState } from '../server-state.js'

export interface PagesRouteOptions {
  readonly access: Access
  readonly addressing: Addressing
  /** Default: that of this package. */
  readonly folder?: string | undefined
}

/** Of this package, wherever in it the code has been bundled to. */
function builtPages(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return join(folder, 'dist/ui')
}

/** The pages at `/ui`: files that Vite made; every other address below it is the first page, which finds its view by itself. */
export function pagesRoute({ access, addressing, folder = builtPages() }: PagesRouteOptions): Middleware<ServerState> {
  const files = sirv(folder, { etag: true, gzip: true, brotli: true, maxAge: 31_536_000, immutable: true })
  return async (context, next) => {
    const path = addressing.below(context.path)
    if (path === '' || path === '/' || path === '/ui') return context.redirect(`${addressing.prefix}/ui/`)
    if (!path?.startsWith('/ui/')) return next()
    await access.authenticate(context.req)
    if (path.startsWith('/ui/assets/')) {
      context.respond = false
      context.res.statusCode = 200
      context.req.url = path.slice('/ui'.length)
      files(context.req, context.res, () => {
        context.res.statusCode = 404
        context.res.end('Not found')
      })
      return
    }
    context.type = 'html'
    context.set('Cache-Control', 'no-cache')
    context.body = readFileSync(join(folder, 'index.html'), 'utf8').replace(
      '<base href="/ui/"',
      `<base href="${addressing.prefix}/ui/"`,
    )
  }
}
