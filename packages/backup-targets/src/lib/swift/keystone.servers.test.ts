import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startKeystone,
  startSwift,
  toolIsMissing,
  type TestKeystone,
  type TestSwift,
} from '../../../../../tests/servers/index.js'
import { openTarget, type TargetError } from '../../index.js'
import { testBackupTarget } from '../../testing.js'
import { bytesSource } from '../sources.js'

const missing = toolIsMissing('swift') ?? toolIsMissing('memcached') ?? toolIsMissing('keystone')

describe.skipIf(missing)('OpenStack Swift with Keystone', () => {
  let swift: TestSwift
  let keystone: TestKeystone

  const open = async (options: Record<string, string> = {}) => {
    const { name, password, project } = keystone.user
    const user = { auth_url: keystone.url, username: name, password, tenant_name: project, container: 'backups' }
    return openTarget({ type: 'swift', options: { ...user, part_mb: '0.25', ...options } })
  }

  /** Stores and reads something. */
  async function use(options: Record<string, string>): Promise<void> {
    const target = await open(options)
    try {
      await target.put('log-in/object', bytesSource('stored'))
      expect(await target.stat('log-in/object')).toMatchObject({ size: 6 })
    } finally {
      await target.close()
    }
  }

  const failure = (options: Record<string, string>) =>
    use(options).then(
      () => expect.fail('It succeeded.'),
      (error: TargetError) => ({ code: error.code, message: error.message, help: error.help }),
    )

  beforeAll(async () => {
    swift = await startSwift()
    keystone = await startKeystone(swift)
  })
  afterAll(async () => {
    await keystone?.close()
    await swift?.close()
  })

  describe('version 3', () => {
    // With version 1 all of them are tried: another log-in changes how requests are allowed, not what they do.
    const only = [
      'an object is stored, found and read back',
      'an object of several parts is stored, listed with its size, and deleted',
      'a list immediately shows what was stored and deleted, also by others',
      'an interrupted upload resumes where it stopped',
      'what cut uploads left is swept, and nothing else',
    ]
    testBackupTarget({ name: 'the contract', open, only })

    it('is found out from the address, also with its version in it, and can be set', async () => {
      await use({ auth_url: `${keystone.url}/v3` })
      await use({ auth_url: `${keystone.url}/v3/auth/tokens`, auth_version: '3' })
      await use({ auth_url: `${keystone.url}/`, auth_version: '3', domain: 'default', region: keystone.region })
    })

    it('takes an application credential instead of user, password and project', async () => {
      const { id, secret } = keystone.applicationCredential
      const options = { username: '', password: '', tenant_name: '' }
      await use({ ...options, application_credential_id: id, application_credential_secret: secret })
    })

    it('says what was wrong, and never the password', async () => {
      const wrong = await failure({ password: 'wrong-secret' })
      expect(wrong).toMatchObject({ code: 'ERR_TARGET_REFUSED', message: expect.stringContaining('"bk": 401') })
      expect(JSON.stringify(wrong)).not.toContain('wrong-secret')
      expect(await failure({ domain: 'elsewhere' })).toMatchObject({ code: 'ERR_TARGET_REFUSED' })
      expect(await failure({ tenant_name: '' })).toMatchObject({
        code: 'ERR_TARGET_SETTINGS',
        help: expect.stringContaining('tenant_name'),
      })
      expect(await failure({ region: 'Mars' })).toMatchObject({
        code: 'ERR_TARGET_SETTINGS',
        message: expect.stringContaining(keystone.region),
      })
      expect(await failure({ auth_url: `${keystone.url}/nowhere`, auth_version: '3' })).toMatchObject({
        code: 'ERR_TARGET_SETTINGS',
        help: expect.stringContaining('auth_url'),
      })
    })
  })

  describe('version 2', () => {
    let shim: Server
    let url: string

    // No server that speaks it is to be had. It answers as Keystone did, with a token of tempauth.
    beforeAll(async () => {
      shim = createServer(
        (request, response) =>
          void answer2(swift, request.url, request).then(({ status, body }) => {
            response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
          }),
      ).listen(0, '127.0.0.1')
      await once(shim, 'listening')
      url = `http://127.0.0.1:${(shim.address() as AddressInfo).port}`
    })
    afterAll(() => shim?.close())

    it('logs in with tenant, user and password', async () => {
      const options = { username: 'tester', password: 'testing', tenant_name: 'test' }
      await use({ ...options, auth_url: `${url}/v2.0` })
      await use({ ...options, auth_url: `${url}/v2.0/`, region: 'here' })
      await use({ ...options, auth_url: url })
      expect(await failure({ ...options, auth_url: url, password: 'wrong' })).toMatchObject({
        code: 'ERR_TARGET_REFUSED',
      })
    })
  })
})

it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))

/** Keystone's answers before version 3. */
async function answer2(swift: TestSwift, path: string | undefined, content: AsyncIterable<Uint8Array>) {
  if (path === '/') return { status: 300, body: { versions: { values: [{ id: 'v2.0', status: 'stable' }] } } }
  if (path !== '/v2.0/tokens') return { status: 404, body: {} }
  const { auth } = (await json(content as never)) as Request2
  const headers = { 'x-auth-user': `${auth.tenantName}:${auth.passwordCredentials.username}` }
  const { status, headers: told } = await fetch(swift.auth.url, {
    headers: { ...headers, 'x-auth-key': auth.passwordCredentials.password },
  })
  if (status !== 200) return { status, body: { error: { message: 'Could not find it.', code: status } } }
  const endpoints = [{ region: 'here', publicURL: told.get('x-storage-url'), internalURL: 'http://127.0.0.1:1' }]
  const serviceCatalog = [
    { type: 'identity', name: 'keystone', endpoints: [{ region: 'here', publicURL: 'http://127.0.0.1:1' }] },
    { type: 'object-store', name: 'swift', endpoints },
  ]
  return { status, body: { access: { token: { id: told.get('x-auth-token') }, serviceCatalog } } }
}

interface Request2 {
  readonly auth: {
    readonly tenantName: string
    readonly passwordCredentials: { readonly username: string; readonly password: string }
  }
}
