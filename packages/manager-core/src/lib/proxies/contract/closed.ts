import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeSockets, socketPathOf } from '../../runtime/instance-socket.js'
import { socketFolder } from '../../system/socket-folder.js'
import { squat } from '../../testing/squat.js'
import { startPublishing } from '../start-publishing.js'
import { startBackend } from './backend.js'
import type { ProxyUnderTest } from './proxy-under-test.js'

/** Any user but root. */
const stranger = 65_534

/** Instances that do not listen at their ports themselves get no requests. */
export function testClosed(under: () => ProxyUnderTest): void {
  describe('closed instances', () => {
    const published = () => readFileSync(join(under().test.home, 'proxy/live/sites.conf'), 'utf8')
    const challenge = '/.well-known/acme-challenge/abc-_1'

    it('the proxy itself answers 503 for one that is stopped, and challenges of ACME reach the manager', async () => {
      const demo = await under().add('demo')
      const other = await under().add('other', { customUrl: 'https://other.test/below' })
      await under().publish()
      expect(published()).toContain(`:${demo.port}`)
      await demo.close()
      await other.close()
      await under().publish()
      expect(published()).not.toMatch(new RegExp(`:(${demo.port}|${other.port})\\b`))
      for (const [host, path] of [
        ['demo.apps.test', '/'],
        ['demo.apps.test', '/some/path?query'],
        ['other.test', '/below/page'],
      ] as const) {
        const { status, headers } = await under().call(host, path)
        expect({ host, status, retry: headers['retry-after'] }).toEqual({ host, status: 503, retry: '5' })
      }
      for (const host of ['demo.apps.test', 'other.test'])
        expect((await under().call(host, challenge)).echo).toMatchObject({ name: 'manager', url: challenge })
    })

    it('one that ends or comes without a command is noticed by the server of the manager', async () => {
      const { manager, test } = under()
      const demo = await under().add('demo')
      const publishing = startPublishing({
        context: test.context,
        manager: `127.0.0.1:${manager.port}`,
        onProblem: (message) => expect.unreachable(message),
        lookMs: 10,
      })
      onTestFinished(() => publishing.close())
      await publishing.begun
      expect((await under().call('demo.apps.test')).status).toBe(200)
      await demo.close()
      await expect.poll(() => published().includes(`:${demo.port}`), { timeout: 60_000 }).toBe(false)
      const again = await startBackend('demo', demo.port)
      onTestFinished(() => again.close())
      const status = async () => (await under().call('demo.apps.test')).status
      await expect.poll(status, { timeout: 60_000 }).toBe(200)
    })

    it.runIf(process.getuid?.() === 0)('one with a socket is reached there, and its port is never used', async () => {
      const { port, close } = await under().add('demo')
      const folder = under().test.path('demo')
      socketFolder(folder)
      const path = socketPathOf({ id: 'idemo', folder })
      const answers = createServer((_request, response) => response.end('by the socket')).listen(path)
      onTestFinished(() => {
        answers.close()
        removeSockets({ id: 'idemo', folder })
      })
      await once(answers, 'listening')
      chmodSync(path, 0o666)
      const host = 'demo.apps.test'
      await under().publish()
      expect((await under().call(host)).text).toBe('by the socket')

      // It ends, and another user takes its port before anything is published.
      await Promise.all([close(), once(answers.close(), 'close')])
      const squatter = await squat(port, stranger)
      onTestFinished(() => squatter.close())
      expect((await under().call(host)).status).toBeGreaterThanOrEqual(502)
      expect(squatter.received()).toBe('')
    })

    it.runIf(process.getuid?.() === 0)('another user who takes the port of one gets none of its requests', async () => {
      const demo = await under().add('demo')
      const host = 'demo.apps.test'
      await under().publish()
      await demo.close()
      const squatter = await squat(demo.port, stranger)
      onTestFinished(() => squatter.close())
      const { warnings } = await under().publish()
      expect(warnings).toEqual([
        `Requests for "demo" are not passed on: its port ${demo.port} is used by a program of user ${stranger}.`,
      ])
      const headers = { Cookie: 'session=secret' }
      expect((await under().call(host, '/', { headers })).status).toBe(503)
      expect(squatter.received()).toBe('')
      expect((await under().publish()).warnings).toEqual([])
    })
  })
}
