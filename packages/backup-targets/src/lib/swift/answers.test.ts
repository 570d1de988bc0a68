import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { run } from '../../../../../tests/servers/programs.js'
import { openTarget, type BackupTarget, type TargetError } from '../../index.js'
import { bytesSource } from '../sources.js'
import { target as swift } from './target.js'

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A target whose store answers as the test says, after a log-in. */
async function answeredBy(answer: (request: IncomingMessage) => Answer): Promise<BackupTarget> {
  const server = await listen(
    createServer((request, response) => {
      const storageUrl = `http://${request.headers.host}/v1/AUTH_a`
      const login = { status: 200, headers: { 'x-auth-token': 'token', 'x-storage-url': storageUrl } }
      const { status, headers, body }: Answer = request.url === '/auth/v1.0' ? login : answer(request)
      request.resume().once('end', () => response.writeHead(status, headers).end(body))
    }),
  )
  return openStore(`http://127.0.0.1:${server}/auth/v1.0`)
}

async function openStore(authUrl: string): Promise<BackupTarget> {
  const options = { auth_url: authUrl, username: 'u', password: 'p', container: 'c' }
  const target = await openTarget({ type: 'swift', options })
  open.push(target)
  return target
}

async function listen(server: Server): Promise<number> {
  open.push({ close: () => server.close() })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const failure = (call: Promise<unknown>): Promise<TargetError> =>
  call.then(
    () => expect.fail('It succeeded.'),
    (error: TargetError) => error,
  )

describe('answers of a store', () => {
  for (const [status, header, expected] of [
    [429, '3', { code: 'ERR_TARGET_THROTTLED', transient: true, retryAfterMs: 3000 }],
    [498, undefined, { code: 'ERR_TARGET_THROTTLED', transient: true, retryAfterMs: undefined }],
    [503, '1', { code: 'ERR_TARGET_THROTTLED', transient: true, retryAfterMs: 1000 }],
    [503, undefined, { code: 'ERR_TARGET_UNREACHABLE', transient: true }],
    [507, undefined, { code: 'ERR_TARGET_FULL', transient: false }],
    [413, undefined, { code: 'ERR_TARGET_FULL', transient: false }],
    [403, undefined, { code: 'ERR_TARGET_REFUSED', transient: false }],
    [409, undefined, { code: 'ERR_TARGET_FAILED', transient: true }],
    [500, undefined, { code: 'ERR_TARGET_FAILED', transient: true }],
    [400, undefined, { code: 'ERR_TARGET_FAILED', transient: false }],
  ] as const) {
    it(`${status}${header ? ` with Retry-After ${header}` : ''} is ${expected.code}`, async () => {
      const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header }
      const target = await answeredBy(() => ({ status, headers, body: '<html><h1>No</h1><p>Not now.</p></html>' }))
      const error = await failure(target.get('a/b'))
      expect(error).toMatchObject(expected)
      expect(error.message).toBe(`Cannot read "a/b" in container "c": ${status} No Not now.`)
    })
  }

  it('a token that is refused again after a new log-in is not retried', async () => {
    let requests = 0
    const target = await answeredBy(() => ({ status: 401, body: `${++requests}` }))
    expect(await failure(target.stat('a'))).toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    expect(requests).toBe(2)
  })

  // Trap: the gateway of Ceph lists a large object with the size of its manifest.
  it('sizes in listings are believed only of Swift itself', async () => {
    const listed = JSON.stringify([{ name: 'a', bytes: 643, hash: '0', last_modified: '2026-11-21T10:00:00.5' }])
    const sizes = [undefined, '2.30'].map(async (version) => {
      const target = await answeredBy(({ method, url = '' }) => {
        if (url === '/info') return { status: 200, body: JSON.stringify({ swift: { version } }) }
        if (method === 'HEAD') return { status: 200, headers: { 'content-length': '5000000' } }
        return { status: 200, body: url.includes('marker=a') ? '[]' : listed }
      })
      return (await target.list()).objects[0]?.size
    })
    expect(await Promise.all(sizes)).toEqual([5_000_000, 643])
  })

  it('an object that has another size than what was sent is removed', async () => {
    const asked: string[] = []
    const target = await answeredBy(({ method = '', url }) => {
      if (url === '/v1/AUTH_a/c/a') asked.push(method)
      if (method === 'HEAD' && asked.length === 1) return { status: 404 }
      return { status: method === 'PUT' ? 201 : 200, headers: { 'content-length': '0' } }
    })
    expect(await failure(target.put('a', bytesSource('abc')))).toMatchObject({ code: 'ERR_TARGET_DAMAGED' })
    expect(asked.at(-1)).toBe('DELETE')
  })

  it('a container that is not there and may not be created is reported', async () => {
    const target = await answeredBy(({ method, url }) => ({
      status: method === 'PUT' && url === '/v1/AUTH_a/c' ? 403 : 404,
    }))
    expect(await failure(target.put('a', bytesSource('abc')))).toMatchObject({
      code: 'ERR_TARGET_REFUSED',
      message: 'Container "c" is not there, and this user may not make it.',
    })
  })

  it('a server that cannot prove who it is gets no password', async () => {
    let requests = 0
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost']
    const pem = await run(['openssl', 'req', '-x509', ...kind, '-keyout', '-', '-out', '-'])
    const port = await listen(createSecureServer({ key: pem, cert: pem }, () => requests++))
    expect(await failure((await openStore(`https://127.0.0.1:${port}/auth/v1.0`)).list())).toMatchObject({
      code: 'ERR_TARGET_IDENTITY',
      transient: false,
      help: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    })
    expect(requests).toBe(0)
  })

  it('an unreachable server is a transient failure', async () => {
    const target = await openStore('http://127.0.0.1:1/auth/v1.0')
    expect(await failure(target.list())).toMatchObject({ code: 'ERR_TARGET_UNREACHABLE', transient: true })
  })
})

describe('settings', () => {
  const whole = { auth_url: 'https://u:secret@keystone.example/v3', username: 'u', password: 'secret', container: 'c' }

  it('are checked before anything is connected, without saying secrets', async () => {
    const wrong: readonly [Record<string, string>, RegExp][] = [
      [{ auth_url: '' }, /auth_url/],
      [{ container: '' }, /container/],
      [{ password: '' }, /Missing: password/],
      [{ username: '', password: '' }, /Missing: username, password/],
      [{ application_credential_id: 'i', password: '' }, /application_credential_secret/],
      [{ auth_url: 'keystone.example/secret' }, /auth_url is no address/],
      [{ auth_version: '4' }, /auth_version "4"/],
      [{ container: 'a/b' }, /container "a\/b"/],
      [{ container: '..' }, /container/],
      [{ container: 'https://swift.example/' }, /container/],
      [{ part_mb: '0' }, /part_mb is "0"/],
      [{ part_mb: '6000' }, /part_mb/],
      [{ part_mb: 'many' }, /part_mb/],
    ]
    for (const [options, message] of wrong) {
      const error = await failure(openTarget({ type: 'swift', options: { ...whole, ...options } }))
      expect(error).toMatchObject({ code: 'ERR_TARGET_SETTINGS', message: expect.stringMatching(message) })
      expect(error.message).not.toContain('/secret')
    }
  })

  it('are described without secrets', () => {
    const described = (options: Record<string, string>) => swift.describe({ ...whole, ...options })
    expect(described({})).toBe('swift://keystone.example/c')
    expect(described({ prefix: 'a/b-' })).toBe('swift://keystone.example/c/a/b-')
    expect(described({ container: 'https://u:secret@swift.example/v1/AUTH_a/c?key=secret' })).toBe(
      'https://swift.example/v1/AUTH_a/c',
    )
  })
})
