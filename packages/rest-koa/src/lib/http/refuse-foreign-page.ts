import type { IncomingMessage } from 'node:http'
import { RestError } from '@steward/rest-core/errors'

/**
 * Refuses a writing call that the page of another site had a browser send without having to ask first (by a CORS preflight), with
 * a login that the browser keeps: by a form, or by `fetch` without JSON. Browsers say so in `Sec-Fetch-Site`.
 *
 * Not specified; chosen because a POST may stand for a DELETE, and needs no body then; and an action may write on GET.
 *
 * @param what for the message, e.g. `send a POST`.
 * @throws RestError ERR_ORIGIN
 */
export function refuseForeignPage({ headers }: IncomingMessage, what: string): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none' || needsPreflight(headers)) return
  throw new RestError(
    'ERR_ORIGIN',
    `A page of another site may ${what} only with "Content-Type: application/json" or a token.`,
  )
}

function needsPreflight(headers: IncomingMessage['headers']): boolean {
  return (
    /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '') ||
    headers['x-http-method-override'] !== undefined ||
    // No browser sends tokens of its own accord.
    /^bearer /i.test(headers.authorization ?? '')
  )
}
