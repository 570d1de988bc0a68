import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../store/sqlite.js'
import { copyRegistry } from '../store/registry-copies.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { createSessions, type OpenedSession, type Sessions } from './sessions.js'
import { createTokens } from './tokens.js'

let test: TestManager
let sessions: Sessions
let now: Date

beforeAll(async () => {
  now = new Date('2026-11-25T08:00:00Z')
  test = await createTestManager({ refresh: false, clock: () => now, config: ['export APPS_PASSWORD=s3cret'] })
  sessions = createSessions(test.context)
})

afterAll(() => test.close())

const caller = { actor: 'admin', surface: 'api', address: '192.0.2.7' } as const
const byPassword = () => ({ by: 'password', checked: test.context.settings.global }) as const
const open = (stays = false) => sessions.open(caller, { signedIn: byPassword(), stays })
const use = ({ secret, key }: OpenedSession) => sessions.use(secret.reveal(), key.reveal())?.session.id
const after = (hours: number) => (now = new Date(now.getTime() + hours * 3_600_000))
const newest = () => test.context.registry.history({ limit: 1 })[0]

it('a session is used with cookie and key together, and the registry holds neither', () => {
  const opened = open()
  const other = open()
  const [secret, key] = [opened.secret.reveal(), opened.key.reveal()]
  expect([secret, key]).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)])
  expect(sessions.use(secret, key)?.session).toEqual(opened.session)
  expect(sessions.has(secret)).toBe(true)
  expect(sessions.isOpen(opened.session.id)).toBe(true)
  expect(sessions.isOpen(secret)).toBe(false)
  for (const [wrongSecret, wrongKey] of [
    [secret, ''],
    [secret, other.key.reveal()],
    [secret, secret],
    [key, secret],
    ['', key],
    [`${secret}x`, key],
  ] as const)
    expect(sessions.use(wrongSecret, wrongKey)).toBeUndefined()

  const { [sqlite]: database } = test.context.registry
  const row = database.prepare('select * from session where id = ?').get(opened.session.id) as Record<string, string>
  const all = JSON.stringify([database.prepare('select * from session').all(), test.context.registry.history()])
  for (const one of [secret, key, 's3cret']) expect(all).not.toContain(one)
  // What a thief of the registry has opens nothing.
  for (const stolen of [row['hash'], row['key_hash'], row['credential']] as string[]) {
    expect(sessions.has(stolen)).toBe(false)
    expect(sessions.use(stolen, row['key_hash'] as string)).toBeUndefined()
    expect(sessions.use(secret, stolen)).toBeUndefined()
  }
  const copy = `${test.home}/copy.db`
  copyRegistry(test.context.home.database, copy)
  expect(readFileSync(copy, 'latin1')).not.toContain(row['hash'])
  expect(newest()).toMatchObject({ action: 'log-in', actor: 'admin', result: 'ok', address: '192.0.2.7' })
})

it('a session ends without use, and after its time however much it is used', () => {
  const [idle, used, stays] = [open(), open(), open(true)]
  after(11.9)
  expect(use(used)).toBe(used.session.id)
  after(0.2)
  expect([use(idle), use(used)]).toEqual([undefined, used.session.id])
  expect(sessions.has(idle.secret.reveal())).toBe(false)
  after(11.9)
  expect(use(used)).toBeUndefined()
  for (let day = 1; day < 29; day += 5) {
    expect(use(stays)).toBe(stays.session.id)
    after(5 * 24)
  }
  expect(use(stays)).toBeUndefined()
})

it('a session ends with its user: signed out, another password or name, a token that was removed or has expired', async () => {
  const first = open()
  sessions.close(first.session.id, caller)
  expect(use(first)).toBeUndefined()
  expect(newest()).toMatchObject({ action: 'log-out', result: 'ok' })

  const second = open()
  const text = readFileSync(test.context.home.config)
  for (const change of ['export APPS_PASSWORD=another', 'export APPS_USERNAME=eve']) {
    appendFileSync(test.context.home.config, `${change}\n`)
    expect([use(second), sessions.list().length]).toEqual([undefined, 0])
    writeFileSync(test.context.home.config, text)
  }

  const tokens = createTokens(test.context)
  const expires = new Date(now.getTime() + 3_600_000).toISOString()
  const [robot, brief] = ['robot', 'brief'].map((name) => {
    const given = { name, abilities: ['read'] as const, scope: { all: true } as const, createdBy: 'ann' }
    const { token } = tokens.add({ ...given, expires: name === 'brief' ? expires : '' })
    return sessions.open({ ...caller, actor: `token ${name}` }, { signedIn: { by: 'token', token }, stays: true })
  }) as [OpenedSession, OpenedSession]
  expect(sessions.use(robot.secret.reveal(), robot.key.reveal())?.signedIn).toMatchObject({
    by: 'token',
    token: { abilities: ['read'] },
  })
  after(1)
  expect([use(robot), use(brief)]).toEqual([robot.session.id, undefined])
  await test.perform('token remove', { name: 'robot' })
  expect(use(robot)).toBeUndefined()
})

it('an administrator lists sessions, and removes one of them', async () => {
  const opened = open(true)
  const { list } = await test.perform('session list')
  expect(list).toMatchObject([{ id: opened.session.id, actor: 'admin', address: '192.0.2.7', stays: true }, {}])
  expect(JSON.stringify(list)).not.toMatch(/[0-9a-f]{64}|[\w-]{43}/)
  await test.perform('session remove', { id: opened.session.id }, { dryRun: true })
  expect(use(opened)).toBe(opened.session.id)
  const { message } = await test.perform('session remove', { id: opened.session.id })
  expect(message).toBe(`Session "${opened.session.id}" of admin is ended.`)
  expect(use(opened)).toBeUndefined()
  expect(newest()).toMatchObject({ action: 'session remove', parameters: { session: opened.session.id } })
  await expect(test.perform('session remove', { id: 'never' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

it('signing in again and again leaves a bounded number of sessions, without those that have ended', () => {
  const first = open()
  for (let n = 0; n < 100; n++) {
    after(0.001)
    open()
  }
  const { [sqlite]: database } = test.context.registry
  expect(database.prepare('select count(*) as n from session').get()).toEqual({ n: 100 })
  expect(use(first)).toBeUndefined()
  after(24)
  open()
  expect(database.prepare('select count(*) as n from session').get()).toEqual({ n: 1 })
})

describe('a session whose credential ends while it is used', () => {
  const expires = () => new Date(now.getTime() + 3_600_000).toISOString()
  const ofToken = (name: string) => {
    const given = { name, abilities: ['read'] as const, scope: { all: true } as const, createdBy: 'ann' }
    const { token } = createTokens(test.context).add({ ...given, expires: expires() })
    return sessions.open({ ...caller, actor: `token ${name}` }, { signedIn: { by: 'token', token }, stays: false })
  }
  /** Does this in the moment in which the use of a session is written, as other processes do while the write waits. */
  const whileItIsWritten = (sql: string) => {
    const { [sqlite]: database } = test.context.registry
    database.exec(`create temp trigger meanwhile after update of last_used on main.session begin ${sql}; end`)
    onTestFinished(() => database.exec('drop trigger meanwhile'))
  }
  /** Sessions whose clock does this when it is read for the nth time. */
  const atReading = (n: number, change: () => void) => {
    let readings = 0
    const { registry, settings, home } = test.context
    const clock = () => {
      if (readings++ === n) change()
      return now
    }
    return { at: createSessions({ registry, settings, home, clock }), isReached: () => readings > n }
  }

  it('is refused when its token is removed', () => {
    const opened = ofToken('removed')
    after(0.1)
    whileItIsWritten("delete from token where name = 'removed'")
    expect(sessions.use(opened.secret.reveal(), opened.key.reveal())).toBeUndefined()
  })

  it('is refused when it is ended', () => {
    const opened = open()
    after(0.1)
    whileItIsWritten('delete from session')
    expect(sessions.use(opened.secret.reveal(), opened.key.reveal())).toBeUndefined()
  })

  it('is by its token or refused, whenever the token expires', () => {
    const outcomes = new Set<string | undefined>()
    for (let n = 0, isReached = true; isReached; n++) {
      const start = now
      const opened = ofToken(`expiring ${n}`)
      after(0.1)
      const test = atReading(n, () => after(1))
      outcomes.add(test.at.use(opened.secret.reveal(), opened.key.reveal())?.signedIn.by)
      isReached = test.isReached()
      now = start
    }
    expect(outcomes).toEqual(new Set([undefined, 'token']))
  })

  it('is refused when the password is changed', () => {
    const text = readFileSync(test.context.home.config)
    for (let n = 0, isReached = true; isReached; n++) {
      const opened = open()
      after(0.1)
      const changed = atReading(n, () => appendFileSync(test.context.home.config, 'export APPS_PASSWORD=another\n'))
      changed.at.use(opened.secret.reveal(), opened.key.reveal())
      isReached = changed.isReached()
      if (isReached) expect(use(opened), String(n)).toBeUndefined()
      writeFileSync(test.context.home.config, text)
    }
  })

  it('holds for the password that was checked, not for one that was set since', () => {
    const checked = byPassword()
    const text = readFileSync(test.context.home.config)
    appendFileSync(test.context.home.config, 'export APPS_PASSWORD=another\n')
    const opened = sessions.open(caller, { signedIn: checked, stays: false })
    expect(use(opened)).toBeUndefined()
    writeFileSync(test.context.home.config, text)
  })
})
