import { describe, expect, it } from 'vitest'
import { readAuthorization } from './credentials.js'

const encoded = (text: string | Buffer): string => `Basic ${Buffer.from(text).toString('base64')}`

describe('readAuthorization()', () => {
  it.each([
    [encoded('ann:secret'), { kind: 'password', login: 'ann', password: 'secret' }],
    [encoded('ann:'), { kind: 'password', login: 'ann', password: '' }],
    [encoded('ann:a:b:'), { kind: 'password', login: 'ann', password: 'a:b:' }],
    [encoded('é€:🐴'), { kind: 'password', login: 'é€', password: '🐴' }],
    [encoded('ann:x').replace('Basic', 'bAsIc'), { kind: 'password', login: 'ann', password: 'x' }],
    [encoded('ann:x').replace('Basic', 'Basic  '), { kind: 'password', login: 'ann', password: 'x' }],
    ['Bearer a.b-c_d~e/f+g==', { kind: 'token', token: 'a.b-c_d~e/f+g==' }],
    ['bearer x', { kind: 'token', token: 'x' }],
  ])('%s', (header, credentials) => {
    expect(readAuthorization(header)).toEqual(credentials)
  })

  it.each([
    '',
    ' ',
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic YW5u YQ==',
    encoded('ann'),
    encoded(':secret'),
    encoded(''),
    encoded('ann:a\0b'),
    encoded('a\nn:b'),
    encoded(Buffer.from([0x61, 0xff, 0x3a, 0x61])),
    'Bearer',
    'Bearer a b',
    'Bearer "x"',
    'Digest username="ann"',
    'secret',
  ])('%j is malformed', (header) => {
    expect(readAuthorization(header)).toBeUndefined()
  })
})
