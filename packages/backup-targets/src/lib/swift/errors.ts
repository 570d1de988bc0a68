import { TargetError, type TargetErrorCode, type TargetErrorOptions } from '../target-error.js'
import type { HttpAnswer } from '../http/http-client.js'

const codeOf: Readonly<Record<number, TargetErrorCode>> = {
  401: 'ERR_TARGET_REFUSED',
  403: 'ERR_TARGET_REFUSED',
  404: 'ERR_TARGET_NOT_FOUND',
  // The server waited too long for the next byte.
  408: 'ERR_TARGET_UNREACHABLE',
  412: 'ERR_TARGET_EXISTS',
  // Larger than the quota or the largest object.
  413: 'ERR_TARGET_FULL',
  // Another ETag than what was sent.
  422: 'ERR_TARGET_DAMAGED',
  429: 'ERR_TARGET_THROTTLED',
  // Swift's own for "rate limited".
  498: 'ERR_TARGET_THROTTLED',
  502: 'ERR_TARGET_UNREACHABLE',
  503: 'ERR_TARGET_UNREACHABLE',
  504: 'ERR_TARGET_UNREACHABLE',
  507: 'ERR_TARGET_FULL',
}

/** What an answer of failure means. @param attempted `store "a/b" in container "c"` */
export async function answerError(answer: HttpAnswer, attempted: string): Promise<TargetError> {
  const { status, headers } = answer
  const said = plainText(await answer.text().catch(() => ''))
  const retryAfterMs = retryAfter(headers['retry-after'])
  const code = status === 503 && retryAfterMs !== undefined ? 'ERR_TARGET_THROTTLED' : codeOf[status]
  const options: TargetErrorOptions = {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // 409: another request for the same object was quicker.
    ...(status >= 500 || status === 409 ? { transient: status !== 507 } : {}),
  }
  return new TargetError(code ?? 'ERR_TARGET_FAILED', `Cannot ${attempted}: ${status} ${said}`.trimEnd() + '.', options)
}

/** `Retry-After` in seconds or as a date; in ms from now. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Servers answer with pages of HTML: their text, cut. */
function plainText(body: string): string {
  const text = body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text.length > 200 ? `${text.slice(0, 200)}…` : text.replace(/\.$/, '')
}
