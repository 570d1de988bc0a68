/** @module-tag mixed */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { LoadMeter } from '../monitoring/measure.js'
import { desiredSites } from '../proxies/desired-sites.js'
import { changeFirstPassword } from '../requests/first-password.js'
import { checkHealth } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import { askOwner } from '../system/ask-owner.js'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { squat, type Squatter } from '../testing/squat.js'
import { callIo } from './call-io.js'
import { healthPlace } from './health-place.js'

const isHere = canUseAccounts(import.meta.url)

async function squatOn(port: number, uid: number): Promise<Squatter> {
  const squatter = await squat(port, uid)
  onTestFinished(() => squatter.close())
  return squatter
}

/** All that believes an answer of an instance or sends it a secret. */
async function everyCall({ context, instance, perform }: TestManager, name: string) {
  const one = instance(name)
  const owner = ownerOfPort(context.runtimes, refOf(context, one))
  const settings = await context.settings.instance(context.home.instance(one.id).folder)
  return {
    health: await checkHealth(healthPlace(context, one)),
    shown: await perform('health', { name }),
    sample: (await new LoadMeter(context).measure([one]))[0],
    password: await changeFirstPassword(context, one, 'correct horse battery'),
    io: await callIo(settings, owner, { service: 'purgelogs' }).catch((error: Error) => error.message),
  }
}

describe.runIf(isHere)('a port that a program of another user has taken', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager({ refresh: false, config: ['export APPS_ISOLATION=yes'] })
    // Accounts may pass.
    chmodSync(test.folder, 0o711)
    await test.perform('refresh')
    await test.perform('add', { name: 'one' })
    await test.perform('add', { name: 'two' })
  })
  afterAll(async () => {
    await closeWithAccounts(test)
  })

  it('is not believed, and gets no secret', async () => {
    const { port } = test.instance('one')
    const uid = accountAt(test.path('two'))?.uid as number
    expect((await checkHealth(healthPlace(test.context, test.instance('one')))).ok).toBe(true)
    await test.perform('stop', { name: 'one' })
    const squatter = await squatOn(port, uid)
    const { health, shown, sample, password, io } = await everyCall(test, 'one')
    const who = `Port ${port} is used by a program of user ${uid} (process ${squatter.pid}: `
    expect(health).toMatchObject({ ok: false, reason: 'foreign', text: '', problem: expect.stringContaining(who) })
    expect(shown).toMatchObject({ exitCode: 1, message: expect.stringContaining(who) })
    expect(sample).toMatchObject({ ok: false, reason: 'foreign' })
    expect(password).toEqual({ result: 'silent' })
    const { list } = await test.perform('doctor', { category: 'instances' })
    expect(JSON.stringify(list)).toContain(
      `The port ${port} of \\"one\\" is used by a program of user ${uid} (process ${squatter.pid}: `,
    )
    expect(io).toContain(who)
    await expect(test.perform('start', { name: 'one' })).rejects.toThrow(`its port ${port} is used by another program`)
    expect(squatter.received()).toBe('')
    await squatter.close()
    await test.perform('start', { name: 'one' })
    expect((await checkHealth(healthPlace(test.context, test.instance('one')))).ok).toBe(true)
  })

  it('is not where the reverse proxy reaches the instance: that is a socket which no account can replace', async () => {
    const { sites } = desiredSites(test.context).publication
    const { upstream } = sites.flatMap(({ places }) => places).find(({ instance }) => instance?.name === 'one') ?? {}
    const socket = upstream?.socket ?? ''
    const { uid, gid } = accountAt(test.path('one')) as SystemAccount
    for (const command of [`rm ${socket}`, `mv ${socket} ${socket}.old`, `ln -s /dev/null ${socket}.new`]) {
      const { status, stderr } = spawnSync('/bin/sh', ['-c', command], { uid, gid, encoding: 'utf8' })
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('Permission denied') })
    }
    const [response] = (await once(get({ socketPath: socket, path: '/ping' }), 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
  })

  it(
    'is not believed by a manager without accounts, nor is the manager itself by one with accounts',
    { tags: 'core' },
    async () => {
      const { port } = test.instance('two')
      await test.perform('stop', { name: 'two' })
      const squatter = await squatOn(port, 65_534)
      const own = { port, owner: { uids: [process.getuid?.() ?? 0] } }
      expect(await checkHealth(own)).toMatchObject({ ok: false, reason: 'foreign' })
      const { folder } = test.context.home.instance(test.instance('two').id)
      const call = callIo(await test.context.settings.instance(folder), own.owner, { service: 'purgelogs' })
      await expect(call).rejects.toThrow(`Port ${port} is used by a program of user 65534`)
      expect(squatter.received()).toBe('')
      await squatter.close()

      const server = createServer((_request, response) => response.end('[platform]\nstatus=OK\n'))
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      expect(await checkHealth(own)).toMatchObject({ ok: true })
      expect(await checkHealth(healthPlace(test.context, test.instance('two')))).toMatchObject({ reason: 'foreign' })
    },
  )
})

describe('askOwner()', () => {
  it('sends nothing where it is not known who may answer, and to nothing that listens at no port', async () => {
    let calls = 0
    const server = createServer((_request, response) => {
      calls++
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const request = { method: 'POST', path: '/', headers: {}, body: 'secret', signal: AbortSignal.timeout(60_000) }
    await expect(askOwner({ port, owner: { uids: [] } }, request)).rejects.toMatchObject({ code: 'ERR_STATE' })
    expect(calls).toBe(0)
    await new Promise((resolve) => server.close(resolve))
    await expect(askOwner({ port, owner: { uids: [0] } }, request)).rejects.toThrow('ECONNREFUSED')
  })
})
