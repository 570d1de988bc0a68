import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  makeCertificate,
  type TestCertificate,
} from '../../../../manager-core/src/lib/proxies/contract/certificates-for-test.js'
import { basic, get, startServer, type TestServer } from '../../server-for-test.js'
import { takeTestPort } from '../../../../manager-core/src/lib/testing/take-ports.js'

const secret = 's'.repeat(43)
const proxy = { 'x-steward-proxy': secret, 'x-steward-client-verify': 'SUCCESS' }

let folder: string
let test: TestServer
let authority: TestCertificate
let foreign: TestCertificate

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-clients-'))
  mkdirSync(join(folder, 'clients'))
  authority = makeCertificate(folder, 'authority', { subject: '/CN=Our clients' })
  foreign = makeCertificate(folder, 'foreign', { subject: '/CN=Other clients' })
  test = await startServer({
    config: [
      'export APPS_PASSWORD=s3cret',
      `export APPS_CLIENT_CA_CERT=${authority.files.certificate}`,
      'export APPS_CLIENTABILITIES=operate',
    ],
  })
  writeFileSync(join(test.manager.home, 'proxy.secret'), `${secret}\n`, { mode: 0o600 })
})

afterAll(async () => {
  await test?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Asks as a user whom the reverse proxy has authenticated. */
const whoami = async (subject: string, headers: Readonly<Record<string, string | undefined>> = {}) => {
  const given = { authorization: undefined, ...proxy, 'x-steward-client-subject': subject, ...headers }
  const { status, body } = await test.get('/api?action=whoami', given)
  return status === 200 ? (body as { item: { actor: string } }).item.actor : status
}

describe('of the reverse proxy', () => {
  it.each([
    ['CN=alice,O=Example', 'certificate alice'],
    ['O=Example,CN=alice', 'certificate alice'],
    ['emailAddress=a@example.org,cn=Alice Smith', 'certificate Alice Smith'],
    [String.raw`CN=Smith\, Alice,O=CN\=bob`, 'certificate Smith, Alice'],
    [String.raw`CN=Zo\C3\AB \E2\82\AC`, 'certificate Zoë €'],
    [String.raw`CN=a\0D\0Ab`, 'certificate a  b'],
    ['O=Example', 'certificate O=Example'],
    [`CN=${'x'.repeat(300)}`, `certificate ${'x'.repeat(100)}`],
  ])('%s is %s', async (subject, actor) => {
    expect(await whoami(subject)).toBe(actor)
  })

  it('is believed with its secret only, and when it found the certificate good', async () => {
    expect(await whoami('CN=alice', { 'x-steward-proxy': undefined })).toBe(401)
    expect(await whoami('CN=alice', { 'x-steward-proxy': 'S'.repeat(43) })).toBe(401)
    expect(await whoami('CN=alice', { 'x-steward-proxy': '' })).toBe(401)
    for (const verify of ['NONE', 'FAILED:self-signed certificate', 'success', 'SUCCESS, SUCCESS', undefined])
      expect(await whoami('CN=alice', { 'x-steward-client-verify': verify }), verify).toBe(401)
    expect(await whoami('')).toBe(401)
    // Two proxies in a row, or a client that sends the header too.
    expect(await whoami('CN=alice', { 'x-steward-proxy': `${secret}, ${secret}` })).toBe(401)
  })

  it('has the abilities of the settings, and the guard is for it too', async () => {
    const as = (query: string, headers = {}) =>
      test.get(`/api?action=${query}`, {
        authorization: undefined,
        ...proxy,
        'x-steward-client-subject': 'CN=alice',
        ...headers,
      })
    expect((await as('whoami')).body?.['item']).toMatchObject({ abilities: ['read', 'operate'] })
    expect((await as('token-list')).status).toBe(403)
    expect((await as('startall', { 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect(test.manager.context.registry.history({ limit: 1 })).toMatchObject([
      { actor: 'certificate alice', result: 'refused' },
    ])
  })

  it('opens the pages without signing in, and a session that has ended changes nothing of that', async () => {
    const as = (path: string, headers = {}) =>
      test.get(path, { authorization: undefined, ...proxy, 'x-steward-client-subject': 'CN=alice', ...headers })
    const browser = { accept: 'text/html', 'sec-fetch-site': 'none' }
    expect((await as('/ui/', browser)).status).not.toBe(302)
    expect((await as('/ui/', { ...browser, 'x-steward-client-verify': 'NONE' })).status).toBe(302)
    const ended = { cookie: `steward_session_00000000=${'a'.repeat(43)}`, 'x-manager-session': 'b'.repeat(43) }
    const { body } = await as('/api/session', { 'x-manager-request': 'ui', ...ended })
    expect(body?.['item']).toMatchObject({ actor: 'certificate alice', abilities: ['read', 'operate'], session: null })
  })

  it('who gives a wrong password, too, is refused', async () => {
    expect(await whoami('CN=alice', { authorization: basic('admin', 'wrong') })).toBe(401)
    expect(await whoami('CN=alice', { authorization: 'Nonsense' })).toBe(401)
    expect(await whoami('CN=alice', { authorization: basic('admin', 's3cret') })).toBe('admin')
  })
})

describe('of a connection over TLS', () => {
  it('is one of our authorities, and of no other', async () => {
    const own = makeCertificate(folder, 'server', { subject: '/CN=localhost', names: ['localhost'], issuer: foreign })
    const port = await takeTestPort()
    const config = [
      'export APPS_PASSWORD=s3cret',
      `export APPS_BASEURL=https://localhost:${port}`,
      `export APPS_SERVER_CERT=${own.files.certificate}`,
      `export APPS_SERVER_KEY=${own.files.key}`,
      `export APPS_CLIENT_CA_PATH=${join(folder, 'clients')}`,
    ]
    const direct = await startServer({ config }, `127.0.0.1:${port}`)
    try {
      const ask = async (client?: TestCertificate, headers: Readonly<Record<string, string>> = {}) => {
        const tls = { ca: foreign.certificate, ...(client && { cert: client.certificate, key: client.key }) }
        const { status, body } = await get(`https://localhost:${port}/api?action=whoami`, headers, tls)
        return status === 200 ? (body as { item: { actor: string } }).item.actor : status
      }
      const alice = makeCertificate(folder, 'alice', { subject: '/O=Example/CN=Alice, of here', issuer: authority })
      const bob = makeCertificate(folder, 'bob', { subject: '/CN=bob', issuer: foreign })
      // There is a folder of authorities, and nothing in it.
      expect(await ask(alice)).toBe(401)
      writeFileSync(join(folder, 'clients', 'ours.pem'), authority.certificate)
      await expect.poll(() => ask(alice), { interval: 200 }).toBe('certificate Alice, of here')
      expect(await ask(bob)).toBe(401)
      expect(await ask()).toBe(401)
      expect(await ask(undefined, { authorization: basic('admin', 's3cret') })).toBe('admin')
      expect(await ask(bob, { ...proxy, 'x-steward-proxy': 'wrong', 'x-steward-client-subject': 'CN=eve' })).toBe(401)
    } finally {
      await direct.close()
    }
  })
})
