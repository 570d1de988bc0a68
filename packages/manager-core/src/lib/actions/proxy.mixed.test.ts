/** @module-tag mixed */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startNginx } from '../../../../../tests/servers/nginx.js'
import type { TestProxy } from '../../../../../tests/servers/proxy-server.js'
import { toolIsMissing } from '../../../../../tests/servers/tools.js'
import { specOf } from '../application/instance-spec.js'
import { call } from '../proxies/contract/call.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

const missing = toolIsMissing('nginx')
if (missing !== undefined) process.stderr.write(`Tests of what is published after commands are skipped: ${missing}\n`)

describe.skipIf(missing !== undefined)('what is published follows commands', () => {
  let test: TestManager
  let proxy: TestProxy
  beforeAll(async () => {
    test = await createTestManager()
    proxy = await startNginx({ include: join(test.home, 'proxy/live') })
    set()
  })
  beforeEach(() => set())
  afterAll(async () => {
    await proxy.close()
    await test.close()
  })

  function set(...lines: readonly string[]): void {
    const { from, to } = test.context.settings.global.ports
    const all = [
      `export APPS_BASEURL=http://apps.test:${proxy.http}`,
      `export APPS_PORTS=${from}-${to}`,
      ...proxy.settings,
    ]
    writeFileSync(join(test.home, 'config.sh'), `${[...all, 'export APPS_SSL=false', ...lines].join('\n')}\n`)
  }
  const statusAt = async (host: string, path = '/health') => {
    const { status } = await call({ host: `${host}:${proxy.http}`, port: proxy.http, path })
    return status
  }

  it('add, rename, seturl, clone, delete and undelete publish, and return the public address', async () => {
    const { item, warnings } = await test.perform('add', { name: 'demo' })
    expect(item).toMatchObject({ public_url: `http://demo.apps.test:${proxy.http}` })
    expect(warnings).toBe(undefined)
    expect(await statusAt('demo.apps.test')).toBe(200)
    const { environment } = await specOf(test.context, test.instance('demo'))
    expect(environment['STEWARD_TRUSTED_PROXIES']).toBe('loopback')

    await test.perform('rename', { name: 'demo', new: 'shop' })
    expect([await statusAt('demo.apps.test'), await statusAt('shop.apps.test')]).toEqual([404, 200])
    await test.perform('seturl', { name: 'shop', url: 'http://shop.example.test/crm' })
    expect(await statusAt('shop.example.test', '/crm/health')).toBe(200)
    await test.perform('clone', { name: 'shop', new: 'copy' })
    expect(await statusAt('copy.apps.test')).toBe(200)
    const { list = [] } = await test.perform('proxy status')
    expect(list).toMatchObject([
      { name: 'copy', url: `http://copy.apps.test:${proxy.http}`, state: 'published' },
      { name: 'shop', url: 'http://shop.example.test/crm', state: 'published' },
    ])
    await test.perform('delete', { name: 'shop', force: true })
    expect([await statusAt('shop.apps.test'), await statusAt('shop.example.test')]).toEqual([404, 404])
    await test.perform('undelete', { entry: 'shop' })
    expect(await statusAt('shop.apps.test')).toBe(200)
    expect((await test.perform('proxy check')).message).toBe('The configuration is valid and published.')
    expect((await test.perform('proxy publish')).message).toContain('The instances are already published')
    await test.perform('delete', { name: 'shop', force: true })
    await test.perform('delete', { name: 'copy', force: true })
  })

  it('a failure to publish is a warning, and what was rolled back is not published', async () => {
    set('export APPS_PROXYCOMMAND=/nowhere/nginx')
    const { warnings, item } = await test.perform('add', { name: 'later', 'no-start': true })
    expect(item).toMatchObject({ name: 'later' })
    expect(warnings?.[0]).toContain("It is not published: The reverse proxy's program /nowhere/nginx")
    expect(test.context.registry.history().at(-1)).toMatchObject({ action: 'proxy publish', result: 'failed' })
    expect(await statusAt('later.apps.test')).toBe(404)
    const status = await test.perform('proxy status')
    expect(status.warnings?.[0]).toContain("Publishing has failed since then: The reverse proxy's program")
    set()
    const { list = [] } = await test.perform('doctor', { category: 'system', fix: true })
    expect(list.filter((row) => JSON.stringify(row).includes('"reverse-proxy"'))).toMatchObject([{ level: 'fixed' }])
    expect((await test.perform('proxy status')).warnings).toBe(undefined)
    expect(await statusAt('later.apps.test')).toBe(503)

    test.tell('later', { start: 'fail' })
    await expect(test.perform('clone', { name: 'later', new: 'never' })).resolves.toMatchObject({
      item: { name: 'never' },
    })
    await expect(test.perform('start', { name: 'never' })).rejects.toMatchObject({ outcome: 'rolled-back' })
    expect(await statusAt('never.apps.test')).toBe(503)
  })

  it('a command that changes nothing of it publishes nothing, and a dry run neither', async () => {
    const { generation } = await test.context.proxies.status()
    await test.perform('protect', { name: 'later' })
    await test.perform('rename', { name: 'later', new: 'other' }, { dryRun: true })
    await test.perform('proxy publish', {}, { dryRun: true })
    expect((await test.context.proxies.status()).generation).toBe(generation)
  })

  it('several at the same time are published together', { tags: 'core' }, async () => {
    const names = ['one', 'two', 'three', 'four']
    await Promise.all(names.map((name) => test.perform('add', { name, 'no-start': true }, { waitMs: 600_000 })))
    for (const name of names) expect(await statusAt(`${name}.apps.test`)).toBe(503)
  })

  it('without APPS_PROXY nothing is published, and asking for it is refused', async () => {
    set('export APPS_PROXY=no')
    await expect(test.perform('proxy publish')).rejects.toMatchObject({ code: 'ERR_STATE' })
    expect((await test.perform('proxy status')).message).toContain('APPS_PROXY=no')
    rmSync(join(test.home, 'proxy'), { recursive: true })
    const { item } = await test.perform('seturl', { name: 'later', url: 'https://later.example.test' })
    expect(item).toMatchObject({ public_url: 'https://later.example.test' })
    expect(await test.context.proxies.drained({ timeoutMs: 0 })).toBe(true)
  })
})
