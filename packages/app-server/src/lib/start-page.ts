import { createHash } from 'node:crypto'
import { Router } from '@koa/router'
import { escapeHtml } from '@steward/rest-core'
import type { Context, Next } from 'koa'
import type { AppDefinition } from './app-definition.js'

export interface StartPageOptions {
  readonly definition: Pick<AppDefinition, 'name' | 'title' | 'version' | 'level'>
  /** Whether there is a page to test requests. */
  readonly hasTester: () => Promise<boolean>
}

/** Where the page can lead, relative to the folder it is in. */
interface StartPlace {
  readonly address: string
  readonly title: string
  readonly text: string
}

const style = `
:root{color-scheme:light dark;--page:#f5f6f8;--surface:#fff;--text:#161b22;--muted:#56606e;--line:#dfe3ea;--accent:#2456c8}
@media (prefers-color-scheme:dark){:root{--page:#0e1115;--surface:#161a20;--text:#e8ecf2;--muted:#9aa6b6;--line:#2a313b;--accent:#8fb2ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
main{width:100%;max-width:40rem}
h1{margin:0;font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:.25rem 0 0;color:var(--muted)}
ul{list-style:none;margin:1.5rem 0 0;padding:0;display:grid;gap:.75rem}
@media (min-width:34rem){ul{grid-template-columns:1fr 1fr}}
a{display:block;height:100%;padding:1rem 1.125rem;border:1px solid var(--line);border-radius:.5rem;background:var(--surface);color:inherit;text-decoration:none}
a:hover{border-color:var(--accent)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
strong{display:block;color:var(--accent)}
span{color:var(--muted);font-size:.9375rem}
footer{margin-top:1.5rem;color:var(--muted);font-size:.9375rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--text);overflow-wrap:anywhere}
`

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The mark of all pages: `page-kit/src/brand/mark.svg`. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2456c8"/>' +
  '<path d="M12 7h11a2.5 2.5 0 0 1 0 5H12.5a1 1 0 0 0 0 2H20a5.5 5.5 0 0 1 0 11H9a2.5 2.5 0 0 1 0-5h10.5a1 1 0 0 0 0-2H12A5.5 5.5 0 0 1 12 7Z" fill="#fff"/></svg>'

/**
 * What a person sees who opens `/` or `/<application>` in a browser: what is served here, and where to continue. Programs, which
 * do not ask for HTML, get the answer of the next middleware.
 */
export function startRouter({ definition, hasTester }: StartPageOptions): Router {
  const { name, title = name, version, level = '5.1' } = definition
  const router = new Router({ sensitive: true, strict: true })
  for (const path of ['/', `/${name}`, `/${name}/`]) router.get('start', path, answer)
  return router

  async function answer(context: Context, next: Next): Promise<unknown> {
    const { path } = context
    context.vary('Accept')
    if (context.accepts('application/json', 'text/html') !== 'text/html') return next()
    // Relative, for proxies that serve the application below a path of theirs.
    const folder = path === `/${name}` ? `${encodeURIComponent(name)}/` : ''
    const root = path === `/${name}/` ? '../' : ''
    const places = [
      ...(Number(level) >= 3.2 && (await hasTester())
        ? [
            {
              address: `${folder}api/tester`,
              title: 'Tester',
              text: 'Build requests, send them, and look at the answers.',
            },
          ]
        : []),
      ...(Number(level) >= 3.1 ? documentation(`${folder}api/rest/?_doc=true`, Number(level) >= 4) : []),
      { address: `${root}health`, title: 'Health', text: 'State of the server, its database and its disk.' },
    ]
    context.set('Content-Security-Policy', policy)
    context.set('Cache-Control', 'no-cache')
    context.type = 'text/html; charset=utf-8'
    context.body = pageOf(title, version, places, `/${name}/api/rest`)
  }
}

function documentation(address: string, hasOpenApi: boolean): StartPlace[] {
  const page = {
    address: `${address}&_output=html`,
    title: 'Documentation',
    text: 'The objects, their fields and all calls, as far as you may use them. Needs a login.',
  }
  const openApi = {
    address: `${address}&_output=openapi`,
    title: 'OpenAPI',
    text: 'The same for programs and code generators. Needs a login.',
  }
  return hasOpenApi ? [page, openApi] : [page]
}

function pageOf(title: string, version: string, places: readonly StartPlace[], base: string): string {
  const items = places.map(
    (place) =>
      `<li><a href="${escapeHtml(place.address)}"><strong>${escapeHtml(place.title)}</strong><span>${escapeHtml(place.text)}</span></a></li>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>REST service, version ${escapeHtml(version)}</p>
<ul>
${items.join('\n')}
</ul>
<footer>Programs call it at <code>${escapeHtml(base)}</code> with a login and password, or a token.</footer>
</main>
</body>
</html>
`
}
