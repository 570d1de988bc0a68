import { errorCodes } from './general-schemas.js'
import { reference } from './description.js'
import type { AnswerDescription, Content, HeaderDescription, Schema } from './description.js'

export const json = 'application/json'

export function jsonContent(schema: Schema): Content {
  return { [json]: schema }
}

export function answer(
  text: string,
  content: Content,
  headers: readonly HeaderDescription[] = [],
  status = 200,
): AnswerDescription {
  return { status, text, content, headers }
}

export function header(name: string, text: string, required = true): HeaderDescription {
  return { name, text, required }
}

export const pageLinks = header(
  'Link',
  'Pages: `first`, `prev`, `next`, `last`, as far as they exist and are known.',
  false,
)

/** Headers of what was written. */
export const writtenHeaders = [
  header('X-Dry-Run', '`true`: nothing was stored.', false),
  header('Idempotency-Replayed', '`true`: the request was already done; this is its first answer.', false),
]

export const entityTag = header('ETag', 'Tag of the record, for `If-Match` and `If-None-Match`.')

const reasons: Readonly<Record<number, string>> = {
  400: 'The request is invalid; `messages` lists each mistake.',
  401: 'Credentials are missing or wrong.',
  403: 'The user is not allowed to do this.',
  404: 'It does not exist, or the user may not see it.',
  409:
    'The functional key or a unique value already exists, other records refer to this one, or the ' +
    '`Idempotency-Key` was used for another request.',
  412: 'The record has changed: its tag is not that of `If-Match`.',
  413: 'The body, or a document in it, is too large.',
  415: 'The body is not JSON in UTF-8, or it is compressed.',
  429: 'Too many requests, or too many wrong passwords.',
  500: 'An internal error; see the log of the server.',
  503: 'The database cannot be reached or is busy.',
}

const headersOf: Readonly<Record<number, readonly HeaderDescription[]>> = {
  401: [header('WWW-Authenticate', 'Accepted credentials.', false)],
  409: [header('Retry-After', 'Seconds to wait while the same request is in progress.', false)],
  429: [header('Retry-After', 'Seconds to wait.', false)],
  503: [header('Retry-After', 'Seconds to wait.', false)],
}

/** Errors that every call may end in. */
const everywhere = [400, 401, 403, 429, 500, 503]

/** Errors of a call: those of every call, and these. */
export function errors(...more: readonly number[]): AnswerDescription[] {
  return [...everywhere, ...more].toSorted((a, b) => a - b).map(errorAnswer)
}

/** How an error is answered; every answer of that status is the same. */
function errorAnswer(status: number): AnswerDescription {
  return {
    status,
    text: `${reasons[status] ?? 'Error.'} Codes: ${errorCodes(status)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
    content: jsonContent(reference('rest.Error')),
    headers: headersOf[status] ?? [],
    shared: `rest.${status}`,
  }
}
