import { execFileSync, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startPebble, type TestPebble } from '../../../../../tests/servers/pebble.js'
import { toolIsMissing } from '../../../../../tests/servers/tools.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { canMount, mountMemory, unmount } from '../testing/small-disk.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { tellAlarms } from './alarms.js'
import { answerOfChallenge, challengeFolder, challengePath } from './challenges.js'
import { readAttempts } from './attempts.js'
import { startRenewals } from './start-renewals.js'
import { surveyCertificates } from './survey.js'

const reason = toolIsMissing('pebble')

describe.skipIf(reason !== undefined)(`certificates over ACME${reason ? ` (${reason})` : ''}`, () => {
  let pebble: TestPebble
  /** Port 80 of all hosts: answers as the server of the manager of a test does. */
  let web: Server
  let home: TestManager['context']['home'] | undefined
  let asked: string[] = []
  let onAsked = () => {}

  beforeAll(async () => {
    web = createServer((request, response) => {
      const host = request.headers.host!.replace(/:\d+$/, '')
      const token = request.url!.slice(challengePath.length)
      asked.push(host)
      onAsked()
      const answer = home && answerOfChallenge(home, token)
      response.statusCode = answer === undefined ? 404 : 200
      response.end(answer)
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
    pebble = await startPebble({ httpPort: (web.address() as AddressInfo).port, blocked: ['blocked.example.org'] })
  })

  afterAll(async () => {
    web?.close()
    await pebble?.close()
  })

  beforeEach(() => {
    asked = []
  })

  async function managerOf(config: readonly string[] = [], clock?: () => Date): Promise<TestManager> {
    const made = await createTestManager({
      refresh: false,
      config: ['export APPS_BASEURL=https://apps.example.org', ...pebble.settings, ...config],
      ...(clock && { clock }),
    })
    onTestFinished(() => made.close())
    home = made.context.home
    return made
  }

  /** Answers that are there for authorities. */
  function challengesOf({ context }: TestManager): readonly string[] {
    const folder = challengeFolder(context.home)
    return existsSync(folder) ? readdirSync(folder) : []
  }

  test('certificates issue makes one for several hosts, with a private key that no other user can read', async () => {
    const { context, perform } = await managerOf()
    const { message, list } = await perform('certificates issue', { hosts: ['apps.example.org', 'www.example.org'] })
    expect(message).toBe('Issued: 1 certificate.')
    expect(list).toEqual([{ name: 'apps.example.org', hosts: 'apps.example.org www.example.org', result: 'issued' }])
    const files = context.certificates.for(['www.example.org', 'APPS.example.org'])!
    const chain = readFileSync(files.certificate, 'utf8')
    expect(chain.match(/BEGIN CERTIFICATE/g)!.length).toBeGreaterThan(1)
    expect(new X509Certificate(chain).checkHost('www.example.org')).toBe('www.example.org')
    for (const file of [files.certificate, files.key]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(context.certificates.for(['else.example.org'])).toBeUndefined()
    // Nothing of the challenge stays.
    expect(readdirSync(challengeFolder(context.home))).toEqual([])
    expect(new Set(asked)).toEqual(new Set(['apps.example.org', 'www.example.org']))
    const [entry] = context.registry.history({ limit: 1 })
    expect(entry).toMatchObject({ action: 'certificates issue', result: 'ok', actor: 'tester' })
  })

  test('the authority that has forgotten the account makes it again', async () => {
    const { context, perform } = await managerOf()
    await perform('certificates issue', { hosts: ['apps.example.org'] })
    const accounts = () => readdirSync(join(context.home.certificates, 'accounts'))
    const before = accounts()
    await pebble.restart()
    await perform('certificates renew', { certificate: 'apps.example.org' })
    expect(accounts()).toEqual(before)
  })

  test('what fails is reported with its host, keeps the old certificate, and is not tried again at once', async () => {
    let now = Date.now()
    const { context, perform } = await managerOf([], () => new Date(now))
    await perform('certificates issue', { hosts: ['apps.example.org'] })
    const old = context.certificates.for(['apps.example.org'])!
    await pebble.locate('apps.example.org', '127.0.0.2')
    onTestFinished(() => pebble.locate('apps.example.org', '127.0.0.1'))
    const fail = () => perform('certificates renew', { certificate: 'apps.example.org' })
    const { list, exitCode } = await fail()
    expect(exitCode).toBe(1)
    expect(list).toMatchObject([{ result: expect.stringMatching(/apps\.example\.org: .*127\.0\.0\.2/) }])
    expect(context.certificates.for(['apps.example.org'])).toEqual(old)
    asked = []
    // No attempt, and no failure more.
    expect((await fail()).list).toMatchObject([{ result: expect.stringContaining('failed at') }])
    expect(readAttempts(context.home)['apps.example.org']!.failures).toBe(1)
    now += 16 * 60_000
    await fail()
    const { failures, next } = readAttempts(context.home)['apps.example.org']!
    expect([failures, Date.parse(next) - now]).toEqual([2, 30 * 60_000])
    await pebble.locate('apps.example.org', '127.0.0.1')
    await perform('certificates renew', { certificate: 'apps.example.org', force: true })
    expect(readAttempts(context.home)).toEqual({})
    expect(context.certificates.for(['apps.example.org'])).not.toEqual(old)
  })

  test('the server issues what is missing and renews when a third of the life is left', async () => {
    let now = Date.now()
    let looks = 0
    const { context, perform } = await managerOf([], () => {
      looks++
      return new Date(now)
    })
    const problems: string[] = []
    const renewals = startRenewals({ context, everyMs: 50, onProblem: (message) => problems.push(message) })
    onTestFinished(() => renewals.close())
    const pathNow = () => context.certificates.for(['apps.example.org'])?.certificate
    await expect.poll(pathNow).toBeTruthy()
    const first = pathNow()!
    const { from, until } = context.certificates.issued()[0]!
    const life = until.getTime() - from.getTime()
    now = until.getTime() - life * 0.4
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 20)
    expect(pathNow()).toBe(first)
    now = until.getTime() - life / 3
    await expect.poll(pathNow).not.toBe(first)
    await renewals.close()
    expect(problems).toEqual([])
    // The one before stays for workers that still read it, and no more.
    const own = join(context.home.certificates, 'apps.example.org')
    expect(readdirSync(own).length).toBe(2)
    now += 1000
    await perform('certificates renew', { certificate: 'apps.example.org' })
    expect(readdirSync(own).length).toBe(2)
    expect(readdirSync(own)).not.toContain(first.split('/').at(-2))
    const actions = context.registry.history({ limit: 10 }).map(({ action, actor }) => `${actor}: ${action}`)
    expect(actions).toEqual(['server: certificates issue', 'server: certificates renew', 'tester: certificates renew'])
  })

  test('an expired certificate is renewed, and until then reported and used', async () => {
    let now = Date.now()
    const { context, perform } = await managerOf([], () => new Date(now))
    await perform('certificates issue')
    const files = context.certificates.for(['apps.example.org'])
    now = context.certificates.issued()[0]!.until.getTime() + 1000
    expect(context.certificates.for(['apps.example.org'])).toEqual(files)
    expect((await perform('certificates')).list).toMatchObject([{ name: 'apps.example.org', state: 'expired' }])
    const { list, exitCode } = await perform('doctor', { category: 'certificates' })
    expect(exitCode).toBe(1)
    expect(list).toMatchObject([
      { level: 'error', message: expect.stringContaining('apps.example.org has expired on') },
    ])
    await perform('certificates renew')
    expect(context.certificates.for(['apps.example.org'])).not.toEqual(files)
  })

  test('an authority that is unreachable, refuses a host, or is not trusted is reported', async () => {
    const { perform } = await managerOf()
    await expect(perform('certificates issue', { hosts: ['blocked.example.org'] })).rejects.toThrow(
      /No certificate was issued for blocked\.example\.org: .*(policy|blocked|forbid)/i,
    )
    const untrusted = await managerOf([`export APPS_ACMECA=${join(tmpdir(), 'no-such-file')}`])
    await expect(untrusted.perform('certificates issue', { hosts: ['a.example.org'] })).rejects.toThrow('APPS_ACMECA')
    const other = join(untrusted.folder, 'other.pem')
    writeFileSync(other, await pebble.authority())
    const stranger = await managerOf([`export APPS_ACMECA=${other}`])
    await expect(stranger.perform('certificates issue', { hosts: ['a.example.org'] })).rejects.toThrow(
      'self-signed certificate',
    )
    await pebble.stop()
    onTestFinished(() => pebble.restart())
    await expect(perform('certificates issue', { hosts: ['a.example.org'] })).rejects.toMatchObject({
      message: expect.stringMatching(/^The authority https:\/\/localhost:\d+\/dir cannot be reached: /),
      help: expect.stringContaining('APPS_ACMEDIRECTORY'),
    })
  })

  test('one that is killed leaves the old certificate, a failure that is noted, and nothing in the way', async () => {
    const made = await managerOf()
    const { context, perform } = made
    await perform('certificates issue')
    const old = context.certificates.for(['apps.example.org'])
    const { folder, certificates } = context.home
    const argument = { home: folder, applicationServer: '/', defaultTemplate: '/', action: 'certificates renew' }
    const program = fileURLToPath(new URL('../testing/crash-action.ts', import.meta.url))
    const loader = new URL('../testing/typescript.mjs', import.meta.url).href
    const input = { certificate: 'apps.example.org' }
    const child = spawn(process.execPath, ['--import', loader, program, JSON.stringify({ ...argument, input })])
    onAsked = () => child.kill('SIGKILL')
    onTestFinished(() => void (onAsked = () => {}))
    const [ended, report] = await Promise.all([once(child, 'close'), text(child.stdout)])
    expect([...ended, report]).toEqual([null, 'SIGKILL', ''])
    expect(context.certificates.for(['apps.example.org'])).toEqual(old)
    expect(readAttempts(context.home)['apps.example.org']).toMatchObject({
      failures: 1,
      message: 'The attempt did not end.',
    })
    expect(challengesOf(made).length).toBe(1)
    onAsked = () => {}
    // Whatever else is broken.
    writeFileSync(join(certificates, 'state.json'), '{"attempts":')
    writeFileSync(old!.certificate, 'broken')
    const next = made.another()
    const { list } = await next.perform('certificates renew', {}, made.caller)
    expect(list).toMatchObject([{ result: 'issued' }])
    expect(next.context.certificates.for(['apps.example.org'])!.certificate).not.toBe(old!.certificate)
    expect(challengesOf(made)).toEqual([])
  })

  test('two at the same time are done one after another, or refused', async () => {
    const { perform } = await managerOf()
    const issue = (host: string, waitMs: number) => perform('certificates issue', { hosts: [host] }, { waitMs })
    const results = await Promise.allSettled([
      issue('a.example.org', 0),
      issue('b.example.org', 20_000),
      issue('c.example.org', 0),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: { code: 'ERR_BUSY' } })
  })

  test('certificates remove takes one away with its key', async () => {
    const { context, perform } = await managerOf()
    await perform('certificates issue', { hosts: ['old.example.org'] })
    expect((await perform('certificates')).list).toMatchObject([
      { name: 'old.example.org', state: 'unused' },
      { name: 'apps.example.org', state: 'missing' },
    ])
    for (const certificate of ['apps.example.org', '../..', 'accounts'])
      await expect(perform('certificates remove', { certificate })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await perform('certificates remove', { certificate: 'old.example.org' })
    expect(context.certificates.issued()).toEqual([])
  })
})

test('certificates are not issued for addresses without HTTPS', async () => {
  for (const config of [
    ['export APPS_BASEURL=http://apps.example.org'],
    ['export APPS_BASEURL=https://apps.example.org', 'export APPS_SSL=false'],
  ]) {
    const acme = ['export APPS_ACME=yes', 'export APPS_ACMEDIRECTORY=https://127.0.0.1:9/dir']
    const { perform, close } = await createTestManager({ refresh: false, config: [...config, ...acme] })
    onTestFinished(close)
    expect((await perform('certificates')).list).toEqual([])
  }
})

test('a configured certificate that cannot be read is an error that says why', async () => {
  for (const [config, problem] of [
    [['export APPS_SERVER_CERT=/no/such.pem'], 'APPS_SERVER_KEY is not set'],
    [['export APPS_SERVER_CERT=/no/such.pem', 'export APPS_SERVER_KEY=/no/such.key'], 'it or /no/such.key is missing'],
    [
      ['export APPS_SERVER_CERT=/etc/passwd', 'export APPS_SERVER_KEY=/etc/passwd'],
      '/etc/passwd is not a certificate in the PEM format',
    ],
  ] as const) {
    const { perform, close } = await createTestManager({ refresh: false, config })
    onTestFinished(close)
    const { list } = await perform('doctor', { category: 'certificates' })
    expect(list).toMatchObject([{ level: 'error', message: expect.stringContaining(problem) }])
  }
})

const noDisk = canMount() ? '' : ' (skipped: it takes the right to mount a small file system)'

test.skipIf(noDisk !== '')(`a full disk is reported, and the authority is not asked${noDisk}`, async () => {
  const config = ['export APPS_ACME=yes', 'export APPS_ACMEDIRECTORY=https://127.0.0.1:9/dir']
  const { perform, close, context } = await createTestManager({ refresh: false, config })
  onTestFinished(close)
  const { certificates } = context.home
  mkdirSync(certificates)
  mountMemory(certificates, '16k')
  onTestFinished(() => unmount(certificates))
  writeFileSync(join(certificates, 'ballast'), Buffer.alloc(16 * 1024))
  await expect(perform('certificates issue', { hosts: ['a.example.org'] })).rejects.toMatchObject({ code: 'ERR_DISK' })
  rmSync(join(certificates, 'ballast'))
  await expect(perform('certificates issue', { hosts: ['a.example.org'] })).rejects.toThrow('cannot be reached')
})

test('certificates issue takes names only that others can look up', async () => {
  const config = ['export APPS_ACME=yes', 'export APPS_ACMEDIRECTORY=https://127.0.0.1:9/dir']
  const { perform, close } = await createTestManager({ refresh: false, config })
  onTestFinished(close)
  const names = [
    'localhost',
    'apps',
    'nas.local',
    '127.0.0.1',
    '[::1]',
    '*.example.org',
    'a b',
    '../etc',
    'ä.example.org',
  ]
  for (const host of [
    ...names,
    `${'x'.repeat(64)}.org`,
    'a..org',
    '-a.org',
    'a.org/x',
    'a.org\r\nb',
    'x.'.repeat(150) + 'org',
  ])
    await expect(perform('certificates issue', { hosts: [host] }), host).rejects.toMatchObject({ code: 'ERR_USAGE' })
  // Its base URL is an address of this machine: no server is asked.
  expect((await perform('certificates issue')).list).toEqual([])
})

test('certificates are not issued without APPS_ACME', async () => {
  const { perform, close } = await createTestManager({ refresh: false })
  onTestFinished(close)
  await expect(perform('certificates issue', { hosts: ['a.example.org'] })).rejects.toMatchObject({
    code: 'ERR_SETTINGS',
    help: expect.stringContaining('APPS_ACME=yes'),
  })
  expect((await perform('certificates')).list).toEqual([])
})

test('the operator is mailed once when the configured certificate expires, and again when it is worse', async () => {
  let now = Date.now()
  const { received, port } = await mailServer(plain)
  const folder = mkdtempSync(join(tmpdir(), 'steward-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [file, key] = [join(folder, 'own.pem'), join(folder, 'own.key')]
  const sign = () =>
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'],
        ...['-subj', '/CN=apps.example.org', '-keyout', key, '-out', file],
      ],
      { stdio: 'ignore' },
    )
  sign()
  const { context, close } = await createTestManager({
    refresh: false,
    clock: () => new Date(now),
    config: [
      ...['export APPS_BASEURL=https://apps.example.org', 'export APPS_EMAIL=ops@example.org'],
      ...['export APPS_MAILSERVER=127.0.0.1', `export APPS_MAILPORT=${port}`],
      ...[`export APPS_SERVER_CERT=${file}`, `export APPS_SERVER_KEY=${key}`],
    ],
  })
  onTestFinished(close)
  const look = async () => {
    await tellAlarms(context, surveyCertificates(context))
    return received.length
  }
  expect(await look()).toBe(0)
  now += 26 * 24 * 3_600_000
  const renewals = startRenewals({ context })
  await expect.poll(() => received.length).toBe(1)
  await renewals.close()
  expect(await look()).toBe(1)
  expect(received[0]!.text).toContain('expires on')
  now += 5 * 24 * 3_600_000
  expect([await look(), await look()]).toEqual([2, 2])
  expect(received[1]!.text).toContain('has expired on')
  now = Date.now()
  sign()
  expect(await look()).toBe(2)
  now += 40 * 24 * 3_600_000
  expect(await look()).toBe(3)
})
