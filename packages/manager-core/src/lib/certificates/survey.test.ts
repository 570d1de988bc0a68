import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate, type TestCertificate } from '../proxies/contract/certificates-for-test.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { alarmOf } from './alarms.js'
import { readServerTls } from './server-tls.js'
import { storeCertificate } from './stored.js'
import { surveyCertificates } from './survey.js'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe.runIf(hasOpenssl)('certificates that cannot serve', () => {
  let test: TestManager
  let authority: TestCertificate
  let good: TestCertificate
  let other: TestCertificate
  const folder = mkdtempSync(join(tmpdir(), 'steward-certificates-'))
  const at = (name: string) => join(folder, name)
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  beforeAll(async () => {
    test = await createTestManager({
      refresh: false,
      config: [
        'export APPS_BASEURL=https://apps.example.org',
        ...[`CERT=${at('cert.pem')}`, `KEY=${at('key.pem')}`, `CA_CERT=${at('ca.pem')}`].map(
          (one) => `export APPS_SERVER_${one}`,
        ),
      ],
    })
    authority = makeCertificate(folder, 'authority', { subject: '/CN=Authority' })
    good = makeCertificate(folder, 'good', { subject: '/CN=x', names: ['apps.example.org'], issuer: authority })
    other = makeCertificate(folder, 'other', { subject: '/CN=x', names: ['other.example.org'], issuer: authority })
  })
  afterAll(async () => {
    await test.close()
    rmSync(folder, { recursive: true })
  })

  /** Puts files in place, and reports what is known of them. */
  async function look(files: { certificate?: string | Buffer; key?: string | Buffer; authorities?: string } = {}) {
    writeFileSync(at('cert.pem'), files.certificate ?? good.certificate)
    writeFileSync(at('key.pem'), files.key ?? good.key)
    writeFileSync(at('ca.pem'), files.authorities ?? authority.certificate)
    const { list = [] } = await test.perform('certificates list')
    return { list, surveyed: surveyCertificates(test.context) }
  }

  it('are not called good: another key, a passphrase, the wrong order, DER, no authority', async () => {
    const { surveyed } = await look()
    expect(surveyed).toMatchObject([{ state: 'good', hosts: ['apps.example.org'] }])
    expect(readServerTls(test.context)?.certificate).toBe(`${good.certificate.trimEnd()}\n${authority.certificate}`)
    openssl('pkey', '-in', good.files.key, '-aes256', '-passout', 'pass:secret', '-out', at('locked.pem'))
    openssl('x509', '-in', good.files.certificate, '-outform', 'der', '-out', at('cert.der'))
    openssl('pkey', '-in', good.files.key, '-outform', 'der', '-out', at('key.der'))
    const wrong: [Parameters<typeof look>[0], string][] = [
      [{ key: other.key }, 'key.pem is not the key of '],
      [
        { key: readFileSync(at('locked.pem')) },
        'key.pem is protected by a passphrase, which no server can enter; remove it: openssl pkey',
      ],
      [
        { certificate: authority.certificate + good.certificate },
        'are in the wrong order: the one for the hosts must come first',
      ],
      [
        { certificate: readFileSync(at('cert.der')) },
        'cert.pem is in the DER format, not in PEM; convert it: openssl x509',
      ],
      [{ key: readFileSync(at('key.der')) }, 'key.pem is not a private key in the PEM format'],
      [{ certificate: 'nothing' }, 'cert.pem is not a certificate in the PEM format'],
      [{ authorities: 'nothing' }, 'ca.pem is not a certificate in the PEM format'],
    ]
    for (const [files, problem] of wrong) {
      const { list, surveyed: found } = await look(files)
      expect(found).toMatchObject([{ state: 'unreadable', problem: expect.stringContaining(problem) }])
      expect(list).toMatchObject([{ state: 'unreadable', problem: expect.stringContaining(problem) }])
      expect(() => readServerTls(test.context)).toThrow(problem)
    }
  })

  it('for other hosts than that of APPS_BASEURL are a finding when none is issued', async () => {
    const { surveyed } = await look({ certificate: other.certificate, key: other.key })
    expect(surveyed).toMatchObject([
      { state: 'good' },
      {
        name: 'apps.example.org',
        state: 'missing',
        problem: expect.stringContaining('cert.pem is for others: other.example.org'),
      },
    ])
  })

  it('for other hosts than that of a custom URL are a finding, unless one is to be issued', async () => {
    const pair = [`export APPS_SERVER_CERT=${good.files.certificate}`, `export APPS_SERVER_KEY=${good.files.key}`]
    const other = await createTestManager({ config: pair })
    const config = join(other.home, 'config.sh')
    const settings = readFileSync(config, 'utf8').replace(/APPS_BASEURL=.*/, 'APPS_BASEURL=https://apps.example.org')
    const problems = (...more: readonly string[]) => {
      writeFileSync(config, settings + more.map((line) => `export ${line}\n`).join(''))
      return surveyCertificates(other.context).flatMap((one) => alarmOf(one) ?? [])
    }
    try {
      await other.perform('add', { name: 'shop', 'no-start': true })
      await other.perform('seturl', { name: 'shop', url: 'https://shop.example.com' })
      expect(problems('APPS_PROXY=no')).toEqual([])
      expect(problems('APPS_PROXY=yes')).toEqual([
        expect.stringMatching(
          /^There is no certificate for shop\.example\.com.*the custom URL of "shop".*for others: apps\.example\.org/,
        ),
      ])
      expect(problems('APPS_PROXY=yes', 'APPS_ACME=yes')).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('are not taken when they were stored: the one before serves', async () => {
    const pair = { certificate: good.certificate, key: good.key }
    await storeCertificate(test.context.home, 'apps.example.org', { ...pair, at: new Date('2026-01-01') })
    await storeCertificate(test.context.home, 'apps.example.org', {
      ...pair,
      key: other.key,
      at: new Date('2026-01-02'),
    })
    const [issued] = test.context.certificates.issued()
    expect(issued?.certificate).toContain('/20260101T')
  })
})
