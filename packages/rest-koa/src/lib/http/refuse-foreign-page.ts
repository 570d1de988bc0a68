import type { IncomingHttpHeaders } from 'node:http'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'

/** What each browser has in its `User-Agent`, and programs that call themselves `Mozilla/`, as PowerShell, do not. */
const engine = /AppleWebKit\/|Gecko\/|Trident\/|Presto\/|MSIE /i

/**
 * Refuses a writing call that the page of another site had a browser send without having to ask first (by a CORS
 * preflight), with a login that the browser keeps: by a form, by an image, or by `fetch` without JSON.
 *
 * Browsers say where a call comes from in `Sec-Fetch-Site`, but only to https and localhost; elsewhere `Origin`, else
 * `Referer`, is compared with the host. Programs send none of them and are let through. Pages that `cors` lists may call.
 *
 * Not specified; chosen because a POST may stand for a DELETE, and needs no body then; and an action may write on GET.
 *
 * @param what for the message, e.g. `send a POST`.
 * @throws RestError ERR_ORIGIN
 */
export function refuseForeignPage({ req: { headers, method }, state }: Context, what: string): void {
  if (needsPreflight(headers)) return
  if (headers.origin !== undefined && headers.origin === state['allowedOrigin']) return
  const site = headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return
  if (site === undefined && !isFromElsewhere(headers, method)) return
  const hint =
    site === undefined
      ? ' A reverse proxy in front must pass on the header Host, or say the host in X-Forwarded-Host; a program that calls ' +
        'itself a browser in User-Agent sends X-Requested-With.'
      : ''
  throw new RestError(
    'ERR_ORIGIN',
    `A page of another site may ${what} only with "Content-Type: application/json", a token, or the header X-Requested-With.${hint}`,
  )
}

/** Whether a page had to ask first to send these headers: a browser adds none of them of its own accord. */
function needsPreflight(headers: IncomingHttpHeaders): boolean {
  return (
    /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '') ||
    headers['x-http-method-override'] !== undefined ||
    headers['x-requested-with'] !== undefined ||
    /^bearer /i.test(headers.authorization ?? '')
  )
}

/**
 * For browsers that send no Fetch Metadata. A page can have its browser leave out `Referer`, and a GET has no `Origin`: then
 * what looks like a browser is refused.
 */
function isFromElsewhere(headers: IncomingHttpHeaders, method: string | undefined): boolean {
  const from = headers.origin ?? headers.referer
  if (from !== undefined) return !isOwnHost(from, headers)
  return method === 'GET' && engine.test(headers['user-agent'] ?? '')
}

/** `X-Forwarded-Host` needs no trusted proxy here: a page can set it as little as `Host`. */
function isOwnHost(from: string, headers: IncomingHttpHeaders): boolean {
  if (!URL.canParse(from)) return false
  const { protocol, host } = new URL(from)
  const own = [headers.host, headers['x-forwarded-host'], headers[':authority']].flat().join().split(',')
  return own.some((name) => hostOf(protocol, name.trim()) === host)
}

/** As in an address of this scheme: in lower case, without its usual port. */
function hostOf(protocol: string, name: string): string | undefined {
  const url = `${protocol}//${name}`
  return name !== '' && URL.canParse(url) ? new URL(url).host : undefined
}
