import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actions } from '../actions/index.js'
import { withParts, type Ability } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import type { Scope } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { testInstance } from '../testing/made-up-operation.js'
import { contextFor, isForScoped } from './scope.js'
import { createTokens, grantOf } from './tokens.js'

let test: TestManager
let now = new Date('2026-11-21T12:00:00Z')

beforeAll(async () => {
  test = await createTestManager({ refresh: false, clock: () => now })
  test.context.registry.transaction((writer) => {
    for (const [n, name] of ['mine', 'other'].entries())
      writer.insertInstance(testInstance({ id: `i${name}`, name, port: 20_000 + n }))
  })
})

afterAll(() => test.close())

const api = (abilities: readonly Ability[], names?: readonly string[]): Partial<Caller> => ({
  ...{ actor: 'token test', surface: 'api', address: '192.0.2.7' },
  grant: { abilities: withParts(abilities), scope: scopeOf(names) },
})
const scopeOf = (names?: readonly string[]): Scope =>
  names ? { all: false, instances: new Set(names.map((name) => `i${name}`)), hosts: new Set() } : { all: true }
const newest = () => test.context.registry.history({ limit: 1 })[0]

describe('withParts()', () => {
  it.each<[readonly Ability[], string]>([
    [['read'], 'read'],
    [['operate'], 'read operate'],
    [['admin'], 'read operate admin'],
    [['sensitive'], 'sensitive'],
    [['sensitive', 'operate'], 'read operate sensitive'],
    [[], ''],
  ])('of %j', (given, all) => {
    expect([...withParts(given)].join(' ')).toBe(all)
  })
})

describe('tokens', () => {
  const add = async (input: Readonly<Record<string, Input>>, caller: Partial<Caller> = {}) =>
    (await test.perform('token add', input, caller)).item as Readonly<Record<string, string>>

  it('are shown once, and only a hash is kept', async () => {
    const input = { name: 'deploy', abilities: 'operate, sensitive', instances: 'MINE' }
    const { message, item: made } = await test.perform('token add', input)
    const { token = '', ...item } = made as Readonly<Record<string, string>>
    expect(message).toContain(token)
    expect(token).toMatch(/^stw_[a-z0-9]{8}_[A-Za-z0-9]{43}$/)
    expect(item).toMatchObject({
      name: 'deploy',
      abilities: 'operate, sensitive',
      instances: 'mine',
      created_by: 'tester',
    })
    const used = createTokens(test.context).use(token)
    expect(used).toMatchObject({ name: 'deploy', abilities: ['operate', 'sensitive'] })
    expect(used?.scope).toEqual({ all: false, instances: ['imine'], hosts: [] })
    expect(grantOf(used!).abilities).toEqual(new Set(['read', 'operate', 'sensitive']))
    const all = JSON.stringify([
      test.context.registry[sqlite].prepare('select * from token').all(),
      test.context.registry.history(),
      await test.perform('token list'),
    ])
    expect(all).not.toContain(token.slice(-43))
    expect(newest()).toMatchObject({ action: 'token add', result: 'ok', parameters: { token: 'deploy' } })
  })

  it('hold until they expire, or are removed', async () => {
    const tokens = createTokens(test.context)
    const { token: short = '' } = await add({ name: 'short', days: '1' })
    const { token: long = '', expires } = await add({ name: 'long', days: 0 })
    expect(expires).toBe('')
    now = new Date('2026-11-22T11:59:59Z')
    expect(tokens.use(short)?.name).toBe('short')
    expect(tokens.list().find(({ name }) => name === 'short')?.lastUsed).toBe(now.toISOString())
    now = new Date('2026-11-22T12:00:00Z')
    expect(tokens.use(short)).toBeUndefined()
    expect(tokens.use(long)?.name).toBe('long')
    await test.perform('token remove', { name: 'LONG' })
    expect(tokens.use(long)).toBeUndefined()
    await expect(test.perform('token remove', { name: 'long' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  it('are refused when they are nearly right', async () => {
    const { token = '' } = await add({ name: 'near' })
    const tokens = createTokens(test.context)
    const last = token.endsWith('a') ? 'b' : 'a'
    for (const text of [
      '',
      'stw_',
      token.slice(0, -1),
      `${token}x`,
      token.slice(0, -1) + last,
      ` ${token}`,
      `stw_x_${'a'.repeat(43)}`,
    ])
      expect(tokens.use(text), text).toBeUndefined()
    expect(tokens.use(token)).toMatchObject({ name: 'near' })
  })

  it.each<[string, Readonly<Record<string, Input>>, string]>([
    ['a name that there is', { name: 'DEPLOY' }, 'ERR_NAME_TAKEN'],
    ['a name with a line in it', { name: 'a\nb' }, 'ERR_NAME'],
    ['no name', { name: '' }, 'ERR_USAGE'],
    ['a long name', { name: 'x'.repeat(300) }, 'ERR_NAME'],
    ['an ability that there is not', { name: 'new', abilities: 'raed' }, 'ERR_USAGE'],
    ['no ability', { name: 'new', abilities: ' ' }, 'ERR_USAGE'],
    ['an instance that there is not', { name: 'new', instances: 'mine,never' }, 'ERR_NOT_FOUND'],
    ['an empty list of instances', { name: 'new', instances: '' }, 'ERR_USAGE'],
    ['days that are no number', { name: 'new', days: '-1' }, 'ERR_USAGE'],
  ])('are not made with %s', async (_, input, code) => {
    await expect(test.perform('token add', input)).rejects.toMatchObject({ code })
  })

  it('give no user what they do not have', async () => {
    await expect(
      test.perform('token add', { name: 'more', abilities: 'admin,sensitive' }, api(['admin'])),
    ).rejects.toMatchObject({ code: 'ERR_ACCESS', message: expect.stringContaining('"sensitive"') })
    await expect(test.perform('token add', { name: 'more' }, api(['operate', 'sensitive']))).rejects.toMatchObject({
      code: 'ERR_ACCESS',
    })
  })
})

describe('scope', () => {
  it('of instances: others are not there, neither one by one nor in lists', async () => {
    const mine = api(['admin', 'sensitive'], ['mine'])
    const names = async (action: string) =>
      (await test.perform(action, {}, mine)).list?.map((one) => (one as { name: string }).name)
    expect(await names('list')).toEqual(['mine'])
    expect(await names('monitoring')).toEqual(['mine'])
    expect(await test.perform('get', { name: 'mine' }, mine)).toMatchObject({ item: { name: 'mine' } })
    expect(await test.perform('whoami', {}, mine)).toMatchObject({ item: { instances: ['mine'] } })
    for (const name of ['other', 'OTHER', 'never']) {
      const call = test.perform('get', { name }, mine)
      await expect(call).rejects.toMatchObject({ code: 'ERR_NOT_FOUND', message: `No instance is named "${name}".` })
    }
    await test.perform('protect', { name: 'other' })
    await test.perform('protect', { name: 'mine' })
    const { list: history } = await test.perform('history', {}, mine)
    expect(new Set(history?.map((one) => (one as { instance: string }).instance))).toEqual(new Set(['mine']))
  })

  it('no action that changes an instance changes one out of it', async () => {
    const mine = api(['admin', 'sensitive'], ['mine'])
    const before = JSON.stringify(test.context.registry.byId('iother'))
    for (const action of actions.filter((one) => one.mutating && !one.standalone)) {
      const input = Object.fromEntries(
        [...(action.parameters ?? []), ...(action.options ?? [])]
          .filter(({ required, type }: { required?: boolean; type: string }) => required || type === 'instance')
          .map(({ name, type, choices }) => [
            name,
            choices?.[0] ?? { integer: 1, 'new-name': 'new', version: '1.0' }[type as string] ?? 'other',
          ]),
      )
      const failure = await test.perform(action.name, input, { ...mine, dryRun: true }).catch((error: unknown) => error)
      expect(failure, action.name).toMatchObject({ code: expect.stringMatching(/^ERR_(ACCESS|NOT_FOUND)$/) })
    }
    expect(JSON.stringify(test.context.registry.byId('iother'))).toBe(before)
  })

  it('actions about the whole manager are refused', async () => {
    const mine = api(['admin', 'sensitive'], ['mine'])
    for (const name of ['config', 'token list', 'saveall', 'upgradeall', 'add', 'refresh', 'trash'])
      await expect(test.perform(name, {}, mine), name).rejects.toMatchObject({ code: 'ERR_ACCESS' })
    expect(isForScoped(actions.find(({ name }) => name === 'clone')!)).toBe(false)
  })
})

describe('abilities', () => {
  it('every action is refused to who has all others', async () => {
    for (const { name, ability } of actions) {
      const others = (['read', 'operate', 'admin', 'sensitive'] as const).slice(
        0,
        ability === 'sensitive' ? 3 : ['read', 'operate', 'admin'].indexOf(ability),
      )
      const abilities = new Set<Ability>(ability === 'sensitive' ? others : [...others, 'sensitive'])
      const caller: Partial<Caller> = { ...api([]), grant: { abilities, scope: { all: true } } }
      const declared = actions.find((one) => one.name === name)?.parameters ?? []
      const input = Object.fromEntries(
        declared
          .filter(({ required }) => required)
          .map((one) => [
            one.name,
            one.choices?.[0] ?? { integer: 1, 'new-name': 'new' }[one.type as string] ?? 'mine',
          ]),
      )
      await expect(test.perform(name, input, caller), name).rejects.toMatchObject({ code: 'ERR_ACCESS' })
    }
  })
})

describe('contextFor()', () => {
  it('requires the ability of an option only where that is given', () => {
    const upgrade = actions.find(({ name }) => name === 'upgrade')!
    const caller = { ...api(['operate']), dryRun: false } as Caller
    for (const input of [{}, { destructive: false }])
      expect(contextFor(test.context, upgrade, input, caller)).toBe(test.context)
    expect(() => contextFor(test.context, upgrade, { destructive: true }, caller)).toThrow(
      '"--destructive" requires the ability "admin"',
    )
  })
})

describe('history', () => {
  it('has who, from where, what and what came of it', async () => {
    await test.perform('protect', { name: 'mine' }, api(['operate']))
    expect(newest()).toMatchObject({
      ...{ actor: 'token test', surface: 'api', address: '192.0.2.7', action: 'protect' },
      ...{ instance: 'mine', instanceId: 'imine', result: 'ok', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  it('has refused calls, each once a minute, so that it cannot be filled up', async () => {
    now = new Date('2026-11-23T00:00:00Z')
    const reader = api(['read'])
    const start = () => test.perform('start', { name: 'mine' }, reader).catch(() => {})
    await start()
    const first = newest()
    expect(first).toMatchObject({ action: 'start', instance: 'mine', result: 'refused', actor: 'token test' })
    for (let n = 0; n < 5; n++) await start()
    expect(newest()?.id).toBe(first?.id)
    now = new Date('2026-11-23T00:01:00Z')
    await start()
    expect(newest()?.id).toBe((first?.id ?? 0) + 1)
    await test.perform('get', { name: 'other' }, api(['read'], ['mine'])).catch(() => {})
    expect(newest()).toMatchObject({ action: 'get', instance: 'other', result: 'refused' })
    now = new Date('2026-11-23T00:05:00Z')
    for (let n = 0; n < 100; n++)
      await test.perform('start', { name: 'mine' }, { ...reader, address: `192.0.2.${n}` }).catch(() => {})
    expect(newest()?.id).toBe((first?.id ?? 0) + 2 + 60)
  })

  it('has reads of secrets over the API, without the secrets', async () => {
    const failed = test.perform('iocredentials', { name: 'mine' }, api(['sensitive']))
    await expect(failed).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(newest()).toMatchObject({
      action: 'iocredentials',
      instance: 'mine',
      result: 'failed',
      address: '192.0.2.7',
    })
  })

  it('has what was asked over the API and could not start, or had nothing to do', async () => {
    const admin = api(['admin'])
    await expect(test.perform('delete', { name: 'mine' }, admin)).rejects.toMatchObject({ code: 'ERR_PROTECTED' })
    expect(newest()).toMatchObject({ action: 'delete', instance: 'mine', result: 'refused', actor: 'token test' })
    await test.perform('startall', {}, admin)
    expect(newest()).toMatchObject({ action: 'startall', instance: '', result: 'ok', address: '192.0.2.7' })
    const before = newest()?.id
    await test.perform('startall', {}, { ...admin, dryRun: true })
    await test.perform('list', {}, admin)
    expect(newest()?.id).toBe(before)
  })
})
