import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { answerHeaders } from '../http/answer-headers.js'

const packages = join(import.meta.dirname, '../../../..')

/** What the group of a pattern finds in the sources of a folder, in lower case. */
function namesIn(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('testing'))
  const texts = sources.map((file) => readFileSync(join(packages, folder, file), 'utf8'))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => `${name}`.toLowerCase())))]
}

/** What pages of other origins may read without permission. Source: Fetch Standard, "CORS-safelisted response-header name". */
const simple = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]
const readable = new Set([...simple, ...answerHeaders.map((name) => name.toLowerCase())])

it.each([
  ['the client reads', 'rest-client/src', /headers\.get\('([\w-]+)'\)/g, ['x-next-cursor', 'etag', 'retry-after']],
  ['the tester reads', 'rest-koa/src/tester', /headers\.get\('([\w-]+)'\)/g, ['content-type']],
  ['the documentation tells of', 'rest-core/src/lib/documentation', /header\('([\w-]+)'/g, ['x-dry-run', 'location']],
  ['the service sets', 'rest-koa/src/lib', /(?:context|ctx)\.set\('([\w-]+)'/g, ['ratelimit-limit', 'x-request-id']],
])('pages of other origins may read every header that %s', (_, folder, pattern, some) => {
  const names = namesIn(folder, pattern)
  expect(names).toEqual(expect.arrayContaining(some))
  expect(names.filter((name) => !readable.has(name))).toEqual([])
})
