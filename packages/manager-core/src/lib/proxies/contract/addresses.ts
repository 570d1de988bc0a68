import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ProxyUnderTest } from './proxy-under-test.js'

export function testAddresses(under: () => ProxyUnderTest): void {
  describe('addresses', () => {
    it('each instance has a host of its own, the manager that of APPS_BASEURL, and other hosts are not found', async () => {
      await under().add('Demo')
      await under().add('sales')
      expect(await under().publish()).toEqual({ state: 'published', warnings: [] })
      expect((await under().call('demo.apps.test', '/a?b=c')).echo).toMatchObject({ name: 'Demo', url: '/a?b=c' })
      expect((await under().call('sales.apps.test')).echo.name).toBe('sales')
      expect((await under().call('apps.test', '/api?action=list')).echo).toMatchObject({
        name: 'manager',
        url: '/api?action=list',
      })
      expect((await under().call('other.test')).status).toBe(404)
    })

    it('an instance below APPS_BASEURL gets its paths without the prefix, and what is encoded in them stays so', async () => {
      const { proxy, manager } = under()
      const base = `http://apps.test:${proxy.http}/apps`
      under().set([`export APPS_BASEURL=${base}`, 'export APPS_ROOTCONTEXT=false'])
      await under().add('Demo')
      await under().publish({ manager: `127.0.0.1:${manager.port}` })
      const demo = await under().call('apps.test', '/apps/Demo/a%2Fb/%C3%A9%20c?d=%2F')
      expect(demo.echo).toMatchObject({ name: 'Demo', url: '/a%2Fb/%C3%A9%20c?d=%2F' })
      expect(demo.echo.headers['x-forwarded-prefix']).toBe('/apps/Demo')
      const bare = await under().call('apps.test', '/apps/Demo')
      expect(bare.status).toBe(308)
      expect(new URL(bare.headers.location ?? '', `${base}/Demo`).href).toBe(`${base}/Demo/`)
      expect((await under().call('apps.test', '/apps/api?action=list')).echo).toMatchObject({
        name: 'manager',
        url: '/apps/api?action=list',
      })
      expect((await under().call('apps.test', '/elsewhere')).status).toBe(404)
      const redirected = await under().call('apps.test', '/apps/Demo/redirect?to=/log-in')
      expect(redirected.headers.location).toBe('/apps/Demo/log-in')
      const away = await under().call('apps.test', '/apps/Demo/redirect?to=https://example.com/x')
      expect(away.headers.location).toBe('https://example.com/x')
      expect((await under().call('apps.test', '/apps/Demo/cookie')).headers['set-cookie']).toEqual([
        'session=1; Path=/apps/Demo/; HttpOnly',
      ])
      // It cannot be left for what is beside it.
      expect((await under().call('apps.test', '/apps/Demo/../Demo/x')).text).not.toContain('"manager"')
    })

    it('an instance below a path of its own gets it in place of its address, which its redirects and cookies get', async () => {
      const { proxy, test } = under()
      const base = `http://apps.test:${proxy.http}`
      under().set([`export APPS_BASEURL=${base}/apps`, 'export APPS_ROOTCONTEXT=false'])
      await under().add('Demo', { customUrl: 'http://crm.example.test' })
      const { folder, tomcat } = test.context.home.instance('idemo')
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const webapps = join(tomcat, 'webapps')
      mkdirSync(webapps, { recursive: true })
      symlinkSync('../../app', join(webapps, 'Demo'))
      await under().publish()
      const locationAt = async (host: string, path: string) =>
        (await under().call(host, `${path}/redirect?to=/Demo/log-in`)).headers.location
      const cookieAt = async (host: string, path: string) =>
        (await under().call(host, `${path}/cookie?path=/Demo`)).headers['set-cookie']
      const demo = await under().call('apps.test', '/apps/Demo/a%2Fb?c=%2F')
      expect(demo.echo).toMatchObject({ name: 'Demo', url: '/Demo/a%2Fb?c=%2F' })
      expect(demo.echo.headers['x-forwarded-prefix']).toBeUndefined()
      expect(await locationAt('apps.test', '/apps/Demo')).toBe('/apps/Demo/log-in')
      expect(await cookieAt('apps.test', '/apps/Demo')).toEqual(['session=1; Path=/apps/Demo; HttpOnly'])
      expect((await under().call('crm.example.test', '/x')).echo.url).toBe('/Demo/x')
      expect(await locationAt('crm.example.test', '')).toBe('/log-in')
      expect(await cookieAt('crm.example.test', '')).toEqual(['session=1; Path=/; HttpOnly'])
      // Where both are the same, everything is passed on as it is.
      under().set([`export APPS_BASEURL=${base}`, 'export APPS_ROOTCONTEXT=false'])
      await under().publish()
      expect((await under().call('apps.test', '/Demo/x')).echo).toMatchObject({ name: 'Demo', url: '/Demo/x' })
      expect(await locationAt('apps.test', '/Demo')).toBe('/Demo/log-in')
      expect(await cookieAt('apps.test', '/Demo')).toEqual(['session=1; Path=/Demo; HttpOnly'])
    })

    it('a custom URL has a host of its own, beside the standard address; the second instance on a host is reported', async () => {
      await under().add('demo', { customUrl: 'https://crm.example.test/sales' })
      await under().add('other', { customUrl: 'https://crm.example.test' })
      await under().add('third', { customUrl: 'https://crm.example.test/sales/eu' })
      const { warnings } = await under().publish()
      expect(warnings).toEqual([
        '"other" is not published at https://crm.example.test: its host belongs to "demo".',
        '"third" is not published at https://crm.example.test/sales/eu: its host belongs to "demo".',
      ])
      expect((await under().call('crm.example.test', '/sales/eu/x')).echo).toMatchObject({ name: 'demo', url: '/eu/x' })
      expect((await under().call('crm.example.test', '/x')).status).toBe(404)
      for (const name of ['demo', 'other', 'third'])
        expect((await under().call(`${name}.apps.test`)).echo.name).toBe(name)
    })

    it('a path below the address of another instance is refused, and is not published when the registry has it', async () => {
      await under().add('beta')
      await under().add('gamma')
      await under().publish()
      const seturl = under().test.perform('seturl', { name: 'gamma', url: 'http://beta.apps.test/api' })
      await expect(seturl).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
      under().force('gamma', 'http://beta.apps.test/api')
      expect((await under().publish()).warnings).toEqual([
        '"gamma" is not published at http://beta.apps.test/api: its host belongs to "beta".',
      ])
      expect((await under().call('beta.apps.test', '/api/rest/Task/')).echo.name).toBe('beta')
    })

    it('a rename into the custom URL of another instance is refused, and that stays where it is', async () => {
      await under().add('gamma')
      await under().add('thief')
      await under().test.perform('seturl', { name: 'gamma', url: 'http://www.apps.test' })
      expect((await under().call('www.apps.test')).echo.name).toBe('gamma')
      const rename = under().test.perform('rename', { name: 'thief', new: 'www' })
      await expect(rename).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
      expect((await under().call('www.apps.test')).echo.name).toBe('gamma')
    })

    it('the host of the manager serves the manager alone, at every path', async () => {
      await under().add('gamma')
      await under().publish()
      for (const url of ['http://apps.test/portal', 'https://APPS.test.:8443/x', 'http://apps.test']) {
        const seturl = under().test.perform('seturl', { name: 'gamma', url })
        await expect(seturl, url).rejects.toMatchObject({ code: 'ERR_USAGE' })
      }
      under().force('gamma', 'http://apps.test/portal')
      expect((await under().publish()).warnings).toEqual([
        '"gamma" is not published at http://apps.test/portal: its host belongs to the manager.',
      ])
      expect((await under().call('apps.test', '/portal')).echo.name).toBe('manager')
    })

    it('instances below a path have a host of their own with APPS_INSTANCESURL', async () => {
      under().set(['export APPS_INSTANCESURL=http://run.test/i', 'export APPS_ROOTCONTEXT=false'])
      await under().add('Demo')
      await under().add('api')
      expect((await under().publish()).warnings).toEqual([])
      expect((await under().call('run.test', '/i/Demo/x')).echo).toMatchObject({ name: 'Demo', url: '/x' })
      expect((await under().call('run.test', '/i/api/x')).echo).toMatchObject({ name: 'api', url: '/x' })
      expect((await under().call('run.test', '/')).status).toBe(404)
      expect((await under().call('apps.test', '/Demo/x')).echo).toMatchObject({ name: 'manager', url: '/Demo/x' })
      const seturl = under().test.perform('seturl', { name: 'Demo', url: 'http://run.test/i/api/x' })
      await expect(seturl).rejects.toMatchObject({ code: 'ERR_USAGE' })
    })

    it('what was renamed or deleted is not found any more; nothing to change is nothing to do', async () => {
      await under().add('demo')
      await under().publish()
      const { registry } = under().test.context
      registry.transaction((writer) => writer.updateInstance('idemo', { name: 'shop' }))
      await under().publish()
      expect((await under().call('demo.apps.test')).status).toBe(404)
      expect((await under().call('shop.apps.test')).echo.name).toBe('demo')
      expect((await under().publish()).state).toBe('unchanged')
      registry.transaction((writer) => writer.deleteInstance('idemo'))
      expect((await under().publish()).state).toBe('published')
      expect((await under().call('shop.apps.test')).status).toBe(404)
    })

    it('long and many names are served', async () => {
      const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example.test`
      await under().add('long', { customUrl: `https://${long}` })
      await under().publish()
      expect((await under().call(long)).echo.name).toBe('long')
    })

    it('challenges of ACME reach the manager at every host', async () => {
      await under().add('demo')
      await under().publish()
      for (const host of ['apps.test', 'demo.apps.test'])
        expect((await under().call(host, '/.well-known/acme-challenge/abc-_1')).echo).toMatchObject({
          name: 'manager',
          url: '/.well-known/acme-challenge/abc-_1',
        })
    })
  })
}
