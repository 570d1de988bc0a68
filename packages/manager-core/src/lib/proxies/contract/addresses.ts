import { describe, expect, it } from 'vitest'
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

    it('a custom URL has a host and path of its own, beside the standard address; who comes second is told', async () => {
      await under().add('demo', { customUrl: 'https://crm.example.test/sales' })
      await under().add('other', { customUrl: 'https://crm.example.test' })
      await under().add('third', { customUrl: 'https://crm.example.test/sales' })
      const { warnings } = await under().publish()
      expect(warnings).toEqual([
        '"third" is not published at https://crm.example.test/sales: the manager or another instance is there.',
      ])
      expect((await under().call('crm.example.test', '/sales/x')).echo).toMatchObject({ name: 'demo', url: '/x' })
      expect((await under().call('crm.example.test', '/x')).echo).toMatchObject({ name: 'other', url: '/x' })
      for (const name of ['demo', 'other', 'third'])
        expect((await under().call(`${name}.apps.test`)).echo.name).toBe(name)
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
