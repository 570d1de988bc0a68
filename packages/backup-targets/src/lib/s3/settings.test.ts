import { describe, expect, it } from 'vitest'
import { partBytesFor } from './part-size.js'
import { readSettings } from './settings.js'
import { target } from './target.js'

const mebibyte = 1024 ** 2
const read = (options: Record<string, string> = {}, environment: Record<string, string> = {}) =>
  readSettings({ bucket: 'backups', part_mb: '16', lock_mode: 'compliance', ...options }, { idleMs: 1000, environment })

describe('settings of S3', () => {
  it('credentials are the given ones, those of the environment, or left to the usual chain', () => {
    const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' }
    expect(read({ access_key: 'a', secret_key: 'b' }, environment).credentials).toEqual({
      accessKeyId: 'a',
      secretAccessKey: 'b',
    })
    expect(read({}, environment).credentials).toEqual({
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: 'token',
    })
    expect(read({}, { AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'id' })).toMatchObject({
      profile: 'work',
      credentials: undefined,
    })
  })

  it('another store is addressed by path, in us-east-1, unless options say otherwise', () => {
    expect(read()).toMatchObject({ pathStyle: false, region: undefined })
    expect(read({ endpoint: 'https://s3.example.org' })).toMatchObject({ pathStyle: true, region: 'us-east-1' })
    const other = { endpoint: 'https://s3.example.org', path_style: 'no', region: 'fr-par' }
    expect(read(other)).toMatchObject({ pathStyle: false, region: 'fr-par' })
    expect(read({}, { AWS_DEFAULT_REGION: 'eu-west-1' }).region).toBe('eu-west-1')
    expect(read({}, { AWS_ENDPOINT_URL: 'http://s3.example.org' })).toMatchObject({
      endpoint: 'http://s3.example.org',
      pathStyle: true,
    })
  })

  it.each<[string, Record<string, string>]>([
    ['a bucket with a path', { bucket: 'a/b' }],
    ['a prefix that leads up', { prefix: '../x' }],
    ['a prefix that begins with a slash', { prefix: '/backups/' }],
    ['an endpoint without protocol', { endpoint: 's3.example.org' }],
    ['an endpoint with a password', { endpoint: 'https://me:s3cret@s3.example.org' }],
    ['one key without the other', { access_key: 's3cret' }],
    ['parts that S3 does not allow', { part_mb: '4' }],
    ['parts that are no number', { part_mb: '16MB' }],
    ['no days', { lock_days: '0' }],
    ['an unknown lock', { lock_mode: 'none' }],
    ['an unknown style', { path_style: 'maybe' }],
  ])('%s is refused', (_name, options) => {
    expect(() => read(options)).toThrow(expect.objectContaining({ code: 'ERR_TARGET_SETTINGS' }) as Error)
    expect(() => read(options)).not.toThrow(/s3cret/)
  })

  it('parts grow so that ten thousand are enough', () => {
    expect(partBytesFor(undefined, 16 * mebibyte)).toBe(16 * mebibyte)
    expect(partBytesFor(100 * 1024 * mebibyte, 16 * mebibyte)).toBe(16 * mebibyte)
    const size = 1024 * 1024 * mebibyte
    const bytes = partBytesFor(size, 16 * mebibyte)
    expect(bytes % mebibyte).toBe(0)
    expect(Math.ceil(size / bytes)).toBeLessThanOrEqual(10_000)
    expect(Math.ceil(size / bytes)).toBeGreaterThan(9_000)
  })

  it('a target is described without secrets', () => {
    const options = { bucket: 'backups', prefix: 'a/', endpoint: 'https://me:s3cret@s3.example.org' }
    expect(target.describe(options)).toBe('s3://backups/a/ at s3.example.org')
    expect(target.describe({ bucket: 'backups' })).toBe('s3://backups/')
  })
})
