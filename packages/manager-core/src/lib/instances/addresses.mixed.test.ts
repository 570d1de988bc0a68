/** @module-tag mixed */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTokens, grantOf } from '../access/tokens.js'
import type { Caller } from '../domain/caller.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

describe('an address belongs to one instance', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager({
      config: ['export APPS_BASEURL=http://apps.test', 'export APPS_DATABASES=sqlite'],
    })
    for (const name of ['beta', 'gamma', 'thief']) await test.perform('add', { name, 'no-start': true })
    await test.perform('seturl', { name: 'gamma', url: 'https://crm.example.com/sales' })
  })
  beforeEach(() => force('thief', ''))
  afterAll(() => test.close())

  const force = (name: string, customUrl: string) =>
    test.context.registry.transaction((writer) => writer.updateInstance(test.instance(name).id, { customUrl }))

  it.each([
    ['http://apps.test/portal', 'ERR_USAGE', 'the host apps.test belongs to the manager'],
    ['https://Apps.Test.:8443', 'ERR_USAGE', 'the host apps.test belongs to the manager'],
    ['http://beta.apps.test', 'ERR_NAME_TAKEN', 'the host beta.apps.test belongs to instance "beta"'],
    ['http://beta.apps.test:81/api', 'ERR_NAME_TAKEN', 'the host beta.apps.test belongs to instance "beta"'],
    ['http://crm.example.com', 'ERR_NAME_TAKEN', 'the host crm.example.com belongs to instance "gamma"'],
    ['https://crm.example.com/sales/eu', 'ERR_NAME_TAKEN', 'the host crm.example.com belongs to instance "gamma"'],
  ])('seturl refuses %s', async (url, code, message) => {
    await expect(test.perform('seturl', { name: 'thief', url })).rejects.toMatchObject({
      ...{ code, message: expect.stringContaining(message) as string },
    })
    expect(test.instance('thief').customUrl).toBe('')
  })

  it('seturl takes a host that the instance has already, and one that became free', async () => {
    await test.perform('seturl', { name: 'gamma', url: 'https://crm.example.com/other' })
    await test.perform('seturl', { name: 'gamma', url: 'http://gamma.apps.test/x' })
    await test.perform('seturl', { name: 'thief', url: 'https://crm.example.com/sales' })
    await test.perform('reseturl', { name: 'thief' })
    await test.perform('seturl', { name: 'gamma', url: 'https://crm.example.com/sales' })
  })

  it('of two commands that take a host at the same time one is refused', async () => {
    const url = 'https://both.example.com'
    const results = await Promise.allSettled(['beta', 'thief'].map((name) => test.perform('seturl', { name, url })))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await test.perform('reseturl', { name: 'beta' })
  })

  it(
    'add, clone, rename, undelete and restore refuse a name whose address is the custom URL of another one',
    { tags: 'core' },
    async () => {
      await test.perform('save', { name: 'thief' })
      await test.perform('add', { name: 'www', 'no-start': true })
      await test.perform('save', { name: 'www' })
      await test.perform('delete', { name: 'www' })
      await test.perform('seturl', { name: 'gamma', url: 'http://www.apps.test' })
      for (const [action, input] of [
        ['add', { name: 'www', 'no-start': true }],
        ['clone', { name: 'thief', new: 'WWW' }],
        ['rename', { name: 'thief', new: 'www' }],
        ['undelete', { entry: 'www' }],
        ['restore', { name: 'www' }],
        ['restore', { name: 'thief', as: 'www' }],
      ] as const)
        await expect(test.perform(action, input), action).rejects.toMatchObject({
          code: 'ERR_NAME_TAKEN',
          message: expect.stringContaining('http://www.apps.test is the custom URL of "gamma"') as string,
          command: 'reseturl gamma',
        })
      await test.perform('seturl', { name: 'gamma', url: 'https://crm.example.com/sales' })
      await test.perform('purge', { entry: 'www' })
    },
  )

  it('what comes back leaves its custom URL to the instance that has the host by now, and says so', async () => {
    const url = 'https://moved.example.com'
    await test.perform('add', { name: 'mover', 'no-start': true })
    await test.perform('seturl', { name: 'mover', url })
    await test.perform('save', { name: 'mover' })
    await test.perform('delete', { name: 'mover' })
    await test.perform('seturl', { name: 'beta', url })
    const warning = `"mover" is restored without its custom URL ${url}: the host moved.example.com belongs to instance "beta".`
    expect((await test.perform('undelete', { entry: 'mover' }, { dryRun: true })).plan?.notes).toContain(warning)
    expect((await test.perform('undelete', { entry: 'mover' })).warnings).toContain(warning)
    expect(test.instance('mover').customUrl).toBe('')
    await test.perform('delete', { name: 'mover', purge: true })
    expect((await test.perform('restore', { name: 'mover' })).warnings).toContain(warning)
    expect(test.instance('mover').customUrl).toBe('')
    await test.perform('reseturl', { name: 'beta' })
  })

  it('a token for some instances gives them only the hosts that it names, and those that they have', async () => {
    const add = { name: 'scoped', abilities: 'operate', instances: 'thief', hosts: 'Shop.example.com, new.apps.test' }
    const { item } = await test.perform('token add', add)
    expect(item).toMatchObject({ hosts: 'shop.example.com, new.apps.test' })
    const token = createTokens(test.context).use((item as { token: string }).token)!
    const caller: Partial<Caller> = { actor: 'token scoped', surface: 'api', grant: grantOf(token) }
    const denied = {
      code: 'ERR_ACCESS',
      message: expect.stringContaining('Your token does not allow the host') as string,
    }
    const seturl = (url: string) => test.perform('seturl', { name: 'thief', url }, caller)
    await seturl('https://shop.example.com/a')
    await seturl('http://thief.apps.test/b')
    for (const url of ['https://free.example.com', 'https://example.com', 'https://x.shop.example.com'])
      await expect(seturl(url), url).rejects.toMatchObject(denied)
    await expect(test.perform('rename', { name: 'thief', new: 'other' }, caller)).rejects.toMatchObject(denied)
    await test.perform('rename', { name: 'thief', new: 'Thief' }, caller)
    await test.perform('rename', { name: 'Thief', new: 'new' }, caller)
    await test.perform('rename', { name: 'new', new: 'thief' })
  })

  it.each([
    [{ hosts: 'a.example.com' }, '--hosts needs --instances'],
    [{ hosts: 'https://a.example.com', instances: 'beta' }, '"https://a.example.com" is not a host.'],
    [{ hosts: 'a.example.com/x', instances: 'beta' }, '"a.example.com/x" is not a host.'],
    [{ hosts: '*.example.com', instances: 'beta' }, '"*.example.com" is not a host.'],
  ])('token add refuses %j', async (input, message) => {
    await expect(test.perform('token add', { name: 'bad', ...input })).rejects.toMatchObject({
      ...{ code: 'ERR_USAGE', message: expect.stringContaining(message) as string },
    })
  })
})

describe('instances below a path of the manager', () => {
  it('cannot have the name of a path of the manager itself', async () => {
    const config = ['export APPS_BASEURL=http://apps.test', 'export APPS_ROOTCONTEXT=false']
    const test = await createTestManager({ config })
    try {
      for (const name of ['api', 'metrics'])
        await expect(test.perform('add', { name })).rejects.toMatchObject({
          ...{ code: 'ERR_NAME_TAKEN', message: expect.stringContaining('belongs to the manager') as string },
        })
    } finally {
      await test.close()
    }
  })
})
