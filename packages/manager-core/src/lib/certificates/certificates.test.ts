import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startPebble, type TestPebble } from '../../../../../tests/servers/pebble.js'
import { toolIsMissing } from '../../../../../tests/servers/tools.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { answerOfChallenge, challengeFolder, challengePath } from './challenges.js'
import { readAttempts } from './attempts.js'
import { startRenewals } from './start-renewals.js'

const reason = toolIsMissing('pebble')

describe.skipIf(reason !== undefined)(`certificates over ACME${reason ? ` (${reason})` : ''}`, () => {
  let pebble: TestPebble
  /** Port 80 of all hosts: answers as the server of the manager of a test does. */
  let web: Server
  let home: TestManager['context']['home'] | undefined
  let asked: string[] = []

  beforeAll(async () => {
    web = createServer((request, response) => {
      const host = request.headers.host!.replace(/:\d+$/, '')
      const token = request.url!.slice(challengePath.length)
      asked.push(host)
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

  test('certificates issue makes one for several hosts, with a private key that nobody else reads', async () => {
    const { context, perform } = await managerOf()
    const { message, list } = await perform('certificates issue', { hosts: ['apps.example.org', 'www.example.org'] })
    expect(message).toBe('1 certificates were issued.')
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

  test('what fails is told with its host, keeps the old certificate, and is not tried again at once', async () => {
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
})
