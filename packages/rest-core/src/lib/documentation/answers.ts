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

/** Headers of what was written. */
export const writtenHeaders = [
  header('X-Dry-Run', '`true`: nothing was kept.', false),
  header('Idempotency-Replayed', '`true`: it was done before, this is the answer of then.', false),
]

export const entityTag = header('ETag', 'Tag of the record, for `If-Match` and `If-None-Match`.')

const reasons: Readonly<Record<number, string>> = {
  400: 'Something is wrong with the request; `messages` tells each mistake.',
  401: 'Credentials are missing or wrong.',
  403: 'The user may not do this.',
  404: 'It does not exist, or the user may not see it.',
  409: 'The functional key or a unique value is taken, other records refer to this one, or the `Idempotency-Key` was used for another request.',
  412: 'The record is not the one that `If-Match` names.',
  413: 'The body, or a document in it, is too large.',
  415: 'The body is not JSON in UTF-8, or it is compressed.',
  429: 'Too many requests, or too many wrong passwords.',
  500: 'Something failed inside; the log of the server says more.',
  503: 'The database cannot be reached or is busy.',
}

const headersOf: Readonly<Record<number, readonly HeaderDescription[]>> = {
  401: [header('WWW-Authenticate', 'What credentials are taken.', false)],
  409: [header('Retry-After', 'Seconds to wait, while the same request is being carried out.', false)],
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
