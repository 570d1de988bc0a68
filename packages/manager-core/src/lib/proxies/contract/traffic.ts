import { once } from 'node:events'
import { Agent } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readSecretFile } from '../../files/secret-file.js'
import { proxyHeaders } from '../proxy-headers.js'
import { call, open, upgrade } from './call.js'
import type { ProxyUnderTest } from './proxy-under-test.js'

export function testTraffic(under: () => ProxyUnderTest): void {
  describe('traffic', () => {
    it('headers tell where a request comes from, whatever the client says; the secret is for the manager only', async () => {
      const { proxy, test } = under()
      await under().add('demo')
      await under().publish()
      const given = {
        'X-Forwarded-For': '6.6.6.6',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'evil.test',
        'X-Forwarded-Prefix': '/evil',
        'X-Real-IP': '6.6.6.6',
        Forwarded: 'for=6.6.6.6',
        [proxyHeaders.secret]: 'guess',
        [proxyHeaders.verify]: 'SUCCESS',
        [proxyHeaders.subject]: 'CN=root',
        [proxyHeaders.serial]: '01',
      }
      const { headers } = (await under().call('demo.apps.test', '/', { headers: given })).echo
      expect(headers).toMatchObject({
        host: `demo.apps.test:${proxy.http}`,
        'x-forwarded-for': '6.6.6.6, 127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': `demo.apps.test:${proxy.http}`,
        'x-real-ip': '127.0.0.1',
      })
      const names = ['x-forwarded-prefix', 'forwarded', ...Object.values(proxyHeaders)]
      for (const name of names) expect(headers[name.toLowerCase()]).toBe(undefined)
      const atManager = (await under().call('apps.test', '/', { headers: given })).echo.headers
      expect(atManager[proxyHeaders.secret.toLowerCase()]).toBe(readSecretFile(test.context.home.proxySecret)?.reveal())
      for (const name of [proxyHeaders.verify, proxyHeaders.subject, proxyHeaders.serial])
        expect(atManager[name.toLowerCase()] ?? '').toBe('')
    })

    it('WebSockets and streams of events go through at once, and stay when something else is published', async () => {
      const { proxy } = under()
      const demo = await under().add('demo')
      await under().publish()
      const at = { host: 'demo.apps.test', port: proxy.http }
      const socket = await upgrade({ ...at, path: '/socket?a=1' })
      const events = await open({ ...at, path: '/events' })
      events.setEncoding('utf8')
      expect(await next(events)).toBe('data: first\n\n')
      await under().add('other')
      await under().publish()
      expect((await under().call('other.apps.test')).echo.name).toBe('other')
      demo.send('second')
      expect(await next(events)).toBe('data: second\n\n')
      socket.write('hello')
      expect(String(await next(socket))).toBe('demo:/socket?a=1:hello')
      socket.destroy()
      events.destroy()
    })

    it('nothing but WebSocket is upgraded', async () => {
      await under().add('demo')
      await under().publish()
      const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' }
      const { echo } = await under().call('demo.apps.test', '/', { headers })
      expect([echo.name, echo.headers['upgrade']]).toEqual(['demo', undefined])
    })

    it('large bodies go through in both directions', async () => {
      await under().add('demo')
      await under().publish()
      const body = Buffer.alloc(20 * 2 ** 20)
      expect((await under().call('demo.apps.test', '/', { method: 'POST', body })).echo.bytes).toBe(body.length)
      const large = await open({
        host: 'demo.apps.test',
        port: under().proxy.http,
        path: `/large?bytes=${50 * 2 ** 20}`,
      })
      let bytes = 0
      for await (const chunk of large) bytes += (chunk as Buffer).length
      expect(bytes).toBe(50 * 2 ** 20)
    })

    it('an instance that does not answer is told as 503', async () => {
      const demo = await under().add('demo')
      await under().publish()
      await demo.close()
      expect((await under().call('demo.apps.test')).status).toBe(503)
      expect((await under().call('apps.test')).status).toBe(200)
    })

    it('no request fails while others are published', async () => {
      const { proxy } = under()
      await under().add('demo')
      await under().publish()
      const agent = new Agent({ keepAlive: true, maxSockets: 4 })
      const over = new AbortController()
      const counts = { good: 0, bad: [] as string[] }
      const client = async (options: { agent?: Agent }) => {
        while (!over.signal.aborted) {
          const path = counts.good % 10 === 0 ? '/slow?ms=50' : '/'
          try {
            const { status } = await call({ host: 'demo.apps.test', port: proxy.http, path, ...options })
            if (status === 200) counts.good++
            else counts.bad.push(String(status))
          } catch (error) {
            // A server may end a connection on which nothing was asked; browsers ask again then.
            const isIdle = options.agent && (error as NodeJS.ErrnoException).code === 'ECONNRESET'
            if (!isIdle) counts.bad.push((error as Error).message)
          }
        }
      }
      const clients = [client({}), client({}), client({ agent }), client({ agent })]
      for (const name of ['one', 'two', 'three']) {
        await under().add(name)
        await under().publish()
      }
      over.abort()
      await Promise.all(clients)
      agent.destroy()
      expect(counts.bad).toEqual([])
      expect(counts.good).toBeGreaterThan(20)
      expect(await under().test.context.proxies.drained({ timeoutMs: 20_000 })).toBe(true)
    })
  })
}

async function next(stream: NodeJS.EventEmitter): Promise<unknown> {
  const [data] = (await once(stream, 'data')) as [unknown]
  return data
}
