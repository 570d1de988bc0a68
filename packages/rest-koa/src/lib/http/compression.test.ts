import { expect, it } from 'vitest'
import { matchesStrongly, matchesWeakly } from '../router/entity-tag.js'
import { markEncoded, taggedHeaders } from './answer.js'
import { encodings, readAcceptEncoding } from './compression.js'

it.each([
  ['', undefined, true],
  ['gzip', 'gzip', true],
  ['gzip, deflate', 'gzip', true],
  ['gzip, deflate, br, zstd', 'zstd', true],
  ['zstd;q=0.9, br, gzip', 'br', true],
  ['br;q=0.5, gzip', 'gzip', true],
  ['GZIP ; Q=0.5', 'gzip', true],
  ['*', 'br', true],
  ['br;q=0, *', 'gzip', true],
  ['gzip;q=0', undefined, true],
  ['gzip;q=0.000, br;q=0', undefined, true],
  ['deflate, zstd', 'zstd', true],
  ['deflate, compress', undefined, true],
  ['identity', undefined, true],
  ['identity, gzip;q=0.5', undefined, true],
  ['identity;q=0.5, gzip;q=0.7', 'gzip', true],
  ['identity;q=0', undefined, false],
  ['identity;q=0, gzip', 'gzip', false],
  ['gzip, *;q=0', 'gzip', false],
  ['identity, *;q=0', undefined, true],
  ['gzip;q=much', undefined, true],
  [',;=,', undefined, true],
])('readAcceptEncoding("%s") chooses %s, and takes an uncompressed body: %s', (header, encoding, identity) => {
  expect(readAcceptEncoding(header)).toEqual({ encoding, identity })
})

it.each(encodings)('the entity tag of a body as %s matches its record, and no other one', (encoding) => {
  // It ends as a compressed one does.
  for (const tag of ['"abc"', `"abc-${encoding}"`]) {
    const headers = taggedHeaders(tag)
    markEncoded(headers, encoding)
    const sent = headers[headers.indexOf('ETag') + 1] as string
    expect(sent).not.toBe(tag)
    for (const known of [tag, sent, `"x", ${sent}`, '*']) expect(matchesStrongly(known, tag)).toBe(true)
    for (const known of [sent, `W/${sent}`, `W/"x",W/${sent}`]) expect(matchesWeakly(known, tag)).toBe(true)
    expect(matchesStrongly(`W/${sent}`, tag)).toBe(false)
    expect(matchesStrongly(sent, '"other"')).toBe(false)
    expect(matchesStrongly(sent.replace(encoding, 'zip'), tag)).toBe(false)
  }
})
