import { connect } from 'node:tls'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { proxyHeaders } from '../proxy-headers.js'
import { makeCertificate, type TestCertificate } from './certificates-for-test.js'
import type { ProxyUnderTest } from './proxy-under-test.js'

export function testTls(under: () => ProxyUnderTest): void {
  describe('HTTPS', () => {
    let authority: TestCertificate
    let server: TestCertificate
    let client: TestCertificate
    let foreign: TestCertificate
    beforeAll(() => {
      const { folder } = under().test
      authority = makeCertificate(folder, 'ca', { subject: '/CN=Test authority' })
      const names = ['apps.test', '*.apps.test']
      server = makeCertificate(folder, 'server', { subject: '/CN=apps.test', names, issuer: authority })
      client = makeCertificate(folder, 'alice', { subject: '/O=Example/CN=alice', issuer: authority })
      const other = makeCertificate(folder, 'other', { subject: '/CN=Other authority' })
      foreign = makeCertificate(folder, 'mallory', { subject: '/CN=mallory', issuer: other })
    })
    const settings = () => [
      'export APPS_SSL=true',
      `export APPS_SERVER_CERT=${server.files.certificate}`,
      `export APPS_SERVER_KEY=${server.files.key}`,
    ]

    it('is served beside HTTP with the configured certificate, also as HTTP/2; other hosts are refused', async () => {
      under().set(settings())
      await under().add('demo')
      expect((await under().publish()).warnings).toEqual([])
      const secure = await under().call('demo.apps.test', '/x', { tls: { ca: authority.certificate } })
      expect(secure.echo).toMatchObject({ name: 'demo', url: '/x' })
      expect(secure.echo.headers['x-forwarded-proto']).toBe('https')
      expect((await under().call('demo.apps.test')).echo.headers['x-forwarded-proto']).toBe('http')
      const socket = connect({
        host: '127.0.0.1',
        port: under().proxy.https,
        servername: 'demo.apps.test',
        ca: authority.certificate,
        ALPNProtocols: ['h2', 'http/1.1'],
      })
      await once(socket, 'secureConnect')
      expect(socket.alpnProtocol).toBe('h2')
      socket.destroy()
      await expect(under().call('other.test', '/', { tls: { ca: authority.certificate } })).rejects.toThrow()
    })

    it('"force" sends all but challenges from HTTP to the same address of HTTPS, which tells browsers to stay', async () => {
      under().set([...settings(), 'export APPS_SSL=force'])
      await under().add('demo')
      await under().publish()
      const sent = await under().call('demo.apps.test', '/a%2Fb/c?d=%20e')
      expect(sent.status).toBe(308)
      expect(sent.headers.location).toBe(`https://demo.apps.test:${under().proxy.https}/a%2Fb/c?d=%20e`)
      const evil = await under().call('demo.apps.test', '/a%0d%0aX-Evil:1')
      expect([308, 403]).toContain(evil.status)
      expect(evil.headers['x-evil']).toBe(undefined)
      const secure = await under().call('demo.apps.test', '/', { tls: { ca: authority.certificate } })
      expect(secure.headers['strict-transport-security']).toBe('max-age=31536000')
      expect((await under().call('demo.apps.test', '/.well-known/acme-challenge/x')).echo.name).toBe('manager')
    })

    it('without a certificate, only "force" refuses HTTP; a wrong key or a missing file is told', async () => {
      await under().add('demo')
      under().set([`export APPS_SSL=true`])
      expect((await under().publish()).warnings).toEqual([
        'At apps.test, demo.apps.test: no HTTPS, as no certificate is set or issued.',
      ])
      expect((await under().call('demo.apps.test')).status).toBe(200)
      under().set([`export APPS_SSL=force`])
      await under().publish()
      expect((await under().call('demo.apps.test')).status).toBe(503)
      expect((await under().call('demo.apps.test', '/.well-known/acme-challenge/x')).status).toBe(200)
      under().set([...settings(), `export APPS_SERVER_KEY=${client.files.key}`])
      expect((await under().publish()).warnings).toEqual([
        `At apps.test, demo.apps.test: no HTTPS, as ${client.files.key} is not the key of ${server.files.certificate}.`,
      ])
      expect((await under().call('demo.apps.test')).status).toBe(200)
    })

    it('a new certificate in the same file is noticed', async () => {
      under().set(settings())
      await under().publish()
      const { certificate, key } = server.files
      const renewed = makeCertificate(under().test.folder, 'renewed', {
        subject: '/CN=apps.test',
        names: ['apps.test'],
        issuer: authority,
      })
      writeFileSync(certificate, renewed.certificate)
      writeFileSync(key, renewed.key)
      expect((await under().publish()).state).toBe('published')
      const socket = connect({
        host: '127.0.0.1',
        port: under().proxy.https,
        servername: 'apps.test',
        ca: authority.certificate,
      })
      await once(socket, 'secureConnect')
      expect(socket.getPeerX509Certificate()?.subjectAltName).toBe('DNS:apps.test')
      socket.destroy()
      writeFileSync(certificate, server.certificate)
      writeFileSync(key, server.key)
    })

    it('the manager is told of client certificates of its authorities, over what a client says itself', async () => {
      under().set([...settings(), `export APPS_CLIENT_CA_CERT=${authority.files.certificate}`])
      await under().add('demo')
      expect((await under().publish()).warnings).toEqual([])
      const { certificate: cert, key } = client
      const headers = {
        [proxyHeaders.verify]: 'SUCCESS',
        [proxyHeaders.subject]: 'CN=root',
        [proxyHeaders.serial]: '0',
      }
      const at = async (host: string, tls: object) => {
        const { status, echo } = await under().call(host, '/', { headers, tls: { ca: authority.certificate, ...tls } })
        expect(status).toBe(200)
        return Object.values(proxyHeaders).map((name) => echo.headers[name.toLowerCase()] ?? '')
      }
      const [secret, verify, subject, serial] = await at('apps.test', { cert, key })
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect([verify, subject]).toEqual(['SUCCESS', 'CN=alice,O=Example'])
      expect(serial).toMatch(/^[0-9A-F]{10,}$/)
      expect((await at('apps.test', {})).slice(1)).toEqual(['NONE', '', ''])
      expect(await at('demo.apps.test', { cert, key })).toEqual(['', '', '', ''])
      const plain = (await under().call('apps.test', '/', { headers })).echo.headers
      expect(plain[proxyHeaders.verify.toLowerCase()] ?? '').not.toBe('SUCCESS')
      // One of another authority gets no further, or is reported as what it is.
      const mallory = { cert: foreign.certificate, key: foreign.key, ca: authority.certificate }
      const told = await under()
        .call('apps.test', '/', { tls: mallory })
        .then(
          ({ status, text }) => (status === 200 ? text : ''),
          () => '',
        )
      expect(told).not.toContain('SUCCESS')
    })
  })
}
