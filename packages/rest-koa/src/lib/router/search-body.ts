import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { readJsonBody } from './body.js'
import type { BodyLimits } from './body.js'
import { checkCount } from './query-string.js'
import type { QueryPairs } from './query-string.js'

/** Most bytes of a body. Not specified; chosen far above what filters may be. */
const mostBytes = 1024 * 1024

/**
 * The parameters of a search in the body of a POST, as an address would have them: a JSON object of texts, numbers and
 * booleans by name. An array is several values of a filter, or the names of a list such as `_fields`.
 *
 * @throws RestError ERR_BAD_REQUEST, ERR_MEDIA_TYPE, ERR_TOO_LARGE
 */
export async function readSearchBody(context: Context, limits: BodyLimits): Promise<QueryPairs> {
  if (context.req.method !== 'POST') return []
  const body = await readJsonBody(context, { ...limits, bytes: Math.min(limits.bytes, mostBytes) })
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RestError('ERR_BAD_REQUEST', 'The body must be a JSON object of search parameters.')
  const pairs = Object.entries(body).flatMap(([name, value]) => {
    const texts = [value].flat().map((one: unknown) => textOf(name, one))
    if (texts.length === 0) throw wrong(name)
    return name.startsWith('_') ? [[name, texts.join(',')] as const] : texts.map((text) => [name, text] as const)
  })
  checkCount(pairs.length)
  return pairs
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  throw wrong(name)
}

function wrong(name: string): RestError {
  return new RestError(
    'ERR_BAD_REQUEST',
    `Parameter "${name.slice(0, 100)}" must be a text, a number, true or false, or a list of these.`,
  )
}
