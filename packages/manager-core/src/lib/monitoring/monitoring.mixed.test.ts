/** @module-tag mixed */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ManagerError } from '../../errors.js'
import type { Json } from '../domain/json.js'
import { mailServer, plain } from '../mail/mail-server-for-test.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { scopedTo } from '../testing/scoped-to.js'
import { hookLog, webhookServer } from './alerts-for-test.js'
import { startMonitoring, type MonitoringOptions } from './start-monitoring.js'

const names = ['alpha', 'beta', 'gamma']
const poll = { interval: 50 }
let test: TestManager

beforeAll(async () => {
  test = await createTestManager()
  await Promise.all(names.map((name) => test.perform('add', { name }, { waitMs: 30_000 })))
})
afterAll(() => test?.close())

/** A server's monitoring, with settings of its own. */
function monitored(
  config: Readonly<Record<string, string | number>> = {},
  options: Partial<MonitoringOptions> = {},
  clock = () => new Date(),
) {
  const environment = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]))
  const manager = test.another({ environment, clock })
  const problems: string[] = []
  const monitoring = startMonitoring({
    context: manager.context,
    onProblem: (message) => void problems.push(message),
    intervalMs: 300,
    gatherMs: 200,
    retryMs: 200,
    outbox: { pauses: [50] },
    ...options,
  })
  onTestFinished(async () => {
    await monitoring.close()
    for (const name of names) test.tell(name, {})
    test.context.registry[sqlite].exec('delete from incident')
  })
  return { problems, close: () => monitoring.close() }
}

async function list<T = Record<string, Json>>(action: string, input = {}): Promise<readonly T[]> {
  return ((await test.perform(action, input)).list ?? []) as unknown as readonly T[]
}

/** Waits for that many checks. */
async function measured(name: string, since: string, count: number): Promise<void> {
  await expect.poll(async () => (await list('samples', { name, since })).length, poll).toBeGreaterThanOrEqual(count)
}

/** The next check, the `number`th, comes now: the interval has changed. */
async function checkNow(since: string, number: number): Promise<void> {
  setCheckInterval(10 + number)
  await measured('alpha', since, number)
}

/** Until the end of the test. */
function setCheckInterval(seconds: number): void {
  const file = test.context.home.config
  const before = readFileSync(file)
  writeFileSync(file, `${String(before)}APPS_MONITORINTERVAL=${seconds}\n`)
  onTestFinished(() => writeFileSync(file, before))
}

describe('monitoring', () => {
  it('measures health, response time, memory, CPU and disk of started instances', async () => {
    const begin = new Date().toISOString()
    monitored()
    await measured('alpha', begin, 2)
    const samples = () => list('samples', { name: 'alpha', since: begin })
    const [first, second] = await samples()
    expect(first).toMatchObject({ ok: true, reason: '', cpu_percent: null, response_ms: expect.any(Number) })
    expect(second).toMatchObject({ ok: true, cpu_percent: expect.any(Number) })
    expect(second?.['memory_mb']).toBeGreaterThan(5)
    // Folders are measured in the background, one after the other.
    await expect.poll(async () => (await samples()).at(-1), poll).toMatchObject({ disk_mb: expect.any(Number) })
    const newest = await list('monitoring')
    expect(newest.map(({ name }) => name)).toEqual(names)
    expect(newest[1]).toMatchObject({ ok: true, status: 'started', failed: 0, incident: null })
  })

  it.each(['yesterday', '2026-13-45', '12'])('samples() refuses since=%s', async (since) => {
    await expect(test.perform('samples', { name: 'alpha', since })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  })

  it('reports once that an instance is unhealthy, and once that it has recovered', { tags: 'core' }, async () => {
    const mail = await mailServer(plain)
    const hook = await webhookServer()
    const called = hookLog(test)
    const begin = new Date().toISOString()
    monitored({
      APPS_ALERTWEBHOOK: `http://${hook.address}/services/t0ken`,
      APPS_MAILSERVER: '127.0.0.1',
      APPS_MAILPORT: mail.port,
      APPS_EMAIL: 'operator@example.org',
    })
    test.tell('beta', { health: 'KO' })
    await expect.poll(() => hook.posted, poll).toHaveLength(1)
    expect(hook.posted[0]).toMatchObject({
      event: 'opened',
      text: 'Alert: "beta" is unhealthy (status-KO)',
      incident: { closed: '', instances: [{ name: 'beta', reason: 'status-KO' }] },
    })
    expect((await list('incidents', { open: true }))[0]).toMatchObject({ closed: '', instances: [{ name: 'beta' }] })
    expect((await list('monitoring'))[1]).toMatchObject({
      ok: false,
      reason: 'status-KO',
      incident: expect.any(Number),
    })
    const checks = (await list('samples', { name: 'beta', since: begin })).length
    await measured('beta', begin, checks + 2)
    test.tell('beta', {})
    await expect.poll(() => hook.posted, poll).toHaveLength(2)
    expect(hook.posted[1]?.text).toMatch(/^Over: "beta" is unhealthy \(status-KO\); resolved after \d+ s$/)
    await expect.poll(called, poll).toEqual(['beta status-KO', 'beta recovered'])
    await expect.poll(() => mail.received, poll).toHaveLength(2)
    expect(mail.received[0]?.text).toContain('"beta" is unhealthy (status-KO).\r\n')
    await expect.poll(() => list('incidents', { open: true }), poll).toEqual([])
  })

  it('reports instances that fail together as one incident', async () => {
    const hook = await webhookServer()
    const begin = new Date().toISOString()
    test.tell('alpha', { health: 'KO' })
    const hour = 3_600_000
    const settings = { APPS_ALERTWEBHOOK: `http://${hook.address}/`, APPS_MONITORAFTER: 1 }
    monitored(settings, { intervalMs: hour, gatherMs: hour })
    await measured('alpha', begin, 1)
    test.tell('beta', { health: 'KO' })
    test.tell('gamma', { health: 'KO' })
    await checkNow(begin, 2)
    await expect.poll(() => hook.posted, poll).toHaveLength(1)
    expect(hook.posted[0]?.text).toBe('Alert: 3 instances have problems (alpha, beta, gamma)')
    // Who may see one of them, hears of no other one.
    const scope = scopedTo(test.instance('beta').id)
    expect((await test.perform('incidents', {}, scope)).list).toMatchObject([
      { message: '"beta" is unhealthy (status-KO)', instances: [{ name: 'beta' }] },
    ])
    expect((await test.perform('monitoring', {}, scope)).list).toHaveLength(1)
    for (const name of names) test.tell(name, {})
    await checkNow(begin, 3)
    await expect.poll(() => hook.posted, poll).toHaveLength(2)
    expect(hook.posted[1]).toMatchObject({ event: 'closed' })
  })

  it('leaves instances alone that an operation is at', async () => {
    const hook = await webhookServer()
    monitored({ APPS_ALERTWEBHOOK: `http://${hook.address}/`, APPS_MONITORAFTER: 1 })
    await expect.poll(async () => (await list('monitoring'))[0]?.['ok'], poll).toBe(true)
    const begin = new Date().toISOString()
    test.tell('alpha', { startMs: 1000 })
    await test.perform('stop', { name: 'alpha' })
    await test.perform('start', { name: 'alpha' })
    await measured('beta', begin, 4)
    for (const { ok } of await list('samples', { name: 'alpha', since: begin })) expect(ok).toBe(true)
    expect(hook.posted).toEqual([])
  })

  it('is done by one server of a home; another one takes over, and sends what was not sent yet', async () => {
    const hook = await webhookServer()
    const begin = new Date().toISOString()
    const first = monitored({ APPS_ALERTWEBHOOK: 'http://127.0.0.1:2/' })
    // What it measures is an hour ahead.
    const clock = () => new Date(Date.now() + 3_600_000)
    monitored({ APPS_ALERTWEBHOOK: `http://${hook.address}/` }, {}, clock)
    test.tell('gamma', { health: 'KO' })
    await expect
      .poll(() => first.problems, poll)
      .toEqual(['The alert could not be posted to APPS_ALERTWEBHOOK: ECONNREFUSED.'])
    const samples = await list('samples', { name: 'gamma', since: begin })
    expect(samples.length).toBeGreaterThan(0)
    for (const { at } of samples) expect(Date.parse(String(at))).toBeLessThan(Date.parse(begin) + 1_800_000)
    expect(hook.posted).toEqual([])
    await first.close()
    await expect
      .poll(() => hook.posted, poll)
      .toMatchObject([{ event: 'opened', incident: { instances: [{ name: 'gamma' }] } }])
  })

  it('reports incidents also when the disk is full', async () => {
    const hook = await webhookServer()
    const { context } = test.another({ environment: { APPS_ALERTWEBHOOK: `http://${hook.address}/` } })
    const full = () => {
      throw new ManagerError('ERR_DISK', 'The disk is full.')
    }
    const registry = { ...context.registry, transaction: full }
    const { problems } = monitored({}, { context: Object.create(context, { registry: { value: registry } }) })
    test.tell('alpha', { health: 'KO' })
    await expect.poll(() => hook.posted, poll).toHaveLength(1)
    test.tell('alpha', {})
    await expect.poll(() => hook.posted, poll).toHaveLength(2)
    expect(hook.posted[1]).toMatchObject({ event: 'closed', incident: { instances: [{ name: 'alpha' }] } })
    expect(problems).toEqual(
      expect.arrayContaining([
        'Measurements could not be stored: The disk is full.',
        'Incidents could not be stored: The disk is full.',
      ]),
    )
  })
})

it('another interval holds before the one that runs is over', async () => {
  const begin = new Date().toISOString()
  setCheckInterval(3600)
  const monitoring = startMonitoring({ context: test.another().context, onProblem: () => undefined })
  onTestFinished(() => monitoring.close())
  await measured('alpha', begin, 1)
  setCheckInterval(10)
  await measured('alpha', begin, 2)
})
