import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../http-error.js'

/** What browsers send and programs do not. Source: wire-decisions, "guard for GET actions that change things". */
const browserMarks = ['origin', 'referer', 'accept-language', 'upgrade-insecure-requests']

/**
 * Whether a request that changes something was meant: a page of another origin can make a browser send one with the
 * user's credentials, but can neither add a header nor take the marks of the browser away.
 *
 * @throws HttpError 403 that says why
 */
export function guard(headers: IncomingHttpHeaders): void {
  if (/prefetch|prerender/i.test([headers['sec-purpose'], headers['purpose']].join(' ')))
    throw refused('the browser asks in advance, and nobody wants it yet')
  if (headers['x-manager-request'] !== undefined) return
  if (/^Bearer /i.test(headers.authorization ?? '')) return
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return
  if (site === 'none') throw refused('it was typed or opened by hand')
  if (site !== undefined) throw refused(`it comes from a page of another origin (${site.slice(0, 20)})`)
  const mark = Object.keys(headers).find((name) => name.startsWith('sec-') || browserMarks.includes(name))
  if (mark !== undefined)
    throw refused(`it comes from a browser (header ${mark}) and may be of a page of another origin`)
  if (/Mozilla\//i.test(headers['user-agent'] ?? ''))
    throw refused('it comes from a browser (User-Agent) and may be of a page of another origin')
}

function refused(reason: string): HttpError {
  return new HttpError(403, 'ERR_ACCESS', `This action changes something, and the request was refused: ${reason}.`, {
    help: 'Use the pages at /ui. Programs add the header "X-Manager-Request: 1" or use a token (Authorization: Bearer).',
  })
}
