import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { proxyHeaders } from '@steward/manager-core'
import { startHttpd } from '../../../../tests/servers/httpd.js'
import { startNginx } from '../../../../tests/servers/nginx.js'
import { makeFolder } from '../../../../tests/servers/folders.js'
import type { TestProxy } from '../../../../tests/servers/proxy-server.js'
import { toolIsMissing } from '../../../../tests/servers/tools.js'
import { call, open, type Call } from '../../../manager-core/src/lib/proxies/contract/call.js'
import {
  makeCertificate,
  type TestCertificate,
} from '../../../manager-core/src/lib/proxies/contract/certificates-for-test.js'
import { squat } from '../../../manager-core/src/lib/testing/squat.js'
import { writeHook } from '../../../manager-core/src/lib/testing/write-hook.js'
import { basic, startServer, type TestServer } from '../server-for-test.js'

describe.each([
  ['nginx', 'nginx', startNginx],
  ['httpd', 'apache2', startHttpd],
] as const)('the server behind %s', (_name, tool, start) => {
  const missing = toolIsMissing(tool)
  let proxy: TestProxy
  let test: TestServer
  let folder: string | undefined
  let authority: TestCertificate
  let alice: TestCertificate

  beforeAll(async () => {
    if (missing !== undefined) return
    folder = await makeFolder('published-server')
    authority = makeCertificate(folder, 'ca', { subject: '/CN=Authority' })
    const site = { subject: '/CN=apps.test', names: ['apps.test', '*.apps.test'], issuer: authority }
    const { files } = makeCertificate(folder, 'site', site)
    alice = makeCertificate(folder, 'alice', { subject: '/O=Example/CN=alice', issuer: authority })
    proxy = await start({ include: join(folder, 'live') })
    test = await startServer({
      refresh: true,
      config: [
        `export APPS_BASEURL=https://apps.test:${proxy.https}`,
        'export APPS_PASSWORD=correct-horse-battery',
        `export APPS_PROXYDIR=${folder}`,
        ...proxy.settings,
        'export APPS_SSL=force',
        `export APPS_SERVER_CERT=${files.certificate}`,
        `export APPS_SERVER_KEY=${files.key}`,
        `export APPS_CLIENT_CA_CERT=${authority.files.certificate}`,
      ],
    })
    // It publishes itself when it starts.
    await vi.waitUntil(async () => (await status('/ping')) === 200, { timeout: 60_000 })
  })
  afterAll(async () => {
    await test?.close()
    await proxy?.close()
    if (folder !== undefined) rmSync(folder, { recursive: true })
  })

  const at = (path: string, options: Partial<Call> = {}): Call => ({
    host: `apps.test:${proxy.https}`,
    port: proxy.https,
    path,
    tls: { ca: authority.certificate },
    ...options,
  })
  const status = (path: string) =>
    call(at(path)).then(
      (answer) => answer.status,
      (error: Error) => error.message,
    )
  const authorization = basic('admin', 'correct-horse-battery')

  it.skipIf(missing !== undefined)(
    `knows people by client certificates that the proxy saw ${missing ?? ''}`,
    async () => {
      const { certificate: cert, key } = alice
      const forged = {
        [proxyHeaders.verify]: 'SUCCESS',
        [proxyHeaders.subject]: 'CN=root',
        [proxyHeaders.secret]: 'x'.repeat(43),
      }
      const known = await call(
        at('/api?action=whoami', { tls: { ca: authority.certificate, cert, key }, headers: forged }),
      )
      expect(JSON.parse(known.text)).toMatchObject({ item: { actor: 'certificate alice' } })
      expect((await call(at('/api?action=whoami', { headers: forged }))).status).toBe(401)
      expect((await test.get('/api?action=whoami', { ...forged, authorization: undefined })).status).toBe(401)
    },
  )

  it.skipIf(missing !== undefined)(
    `publishes what is added over the API, and its events come as they happen ${missing ?? ''}`,
    async () => {
      const { home } = test.manager
      writeHook(home, 'pre-add', 'until [ -e "$APPS_HOME/go" ]; do sleep 0.05; done')
      const asked = await call(at('/api?action=add&name=demo&async=true', { headers: { authorization } }))
      const { operation } = JSON.parse(asked.text) as { readonly operation: string }
      const headers = { authorization, accept: 'text/event-stream' }
      const events = await open(at(`/api?action=operation&id=${operation}`, { headers }))
      const chunks: string[] = []
      for await (const chunk of events.setEncoding('utf8')) {
        chunks.push(String(chunk))
        writeFileSync(join(home, 'go'), '')
      }
      expect(chunks.length).toBeGreaterThan(1)
      expect(chunks[0]).toContain('event: operation')
      expect(chunks[0]).not.toContain('event: result')
      expect(chunks.join('')).toContain(`"public_url":"https://demo.apps.test:${proxy.https}"`)
      const { status: published } = await call(at('/health', { host: `demo.apps.test:${proxy.https}` }))
      expect(published).toBe(200)
    },
  )

  it.skipIf(missing !== undefined || process.getuid?.() !== 0)(
    `another user who takes the port of the server while it restarts gets nothing from it ${missing ?? ''}`,
    async () => {
      const { createManagerServer } = await import('./create-manager-server.js')
      const port = Number(new URL(test.server.url).port)
      await test.server.close()
      const squatter = await squat(port, 65_534)
      const headers = { authorization }
      try {
        expect((await call(at('/api?action=whoami', { headers }))).status).toBe(503)
        await expect(
          createManagerServer({ manager: test.manager.manager as never, listen: `127.0.0.1:${port}` }),
        ).rejects.toThrow(`another program listens there (process ${squatter.pid}: `)
        expect(squatter.received()).toBe('')
      } finally {
        await squatter.close()
      }
      const again = await createManagerServer({ manager: test.manager.manager as never, listen: `127.0.0.1:${port}` })
      try {
        await expect.poll(() => status('/ping')).toBe(200)
        expect((await call(at('/api?action=whoami', { headers }))).status).toBe(200)
      } finally {
        await again.close()
      }
    },
  )

  it.skipIf(missing !== undefined)(
    `repairs what was changed by hand when it starts again ${missing ?? ''}`,
    async () => {
      writeFileSync(join(folder as string, 'live', 'sites.conf'), '# nothing\n')
      const { createManagerServer } = await import('./create-manager-server.js')
      await test.server.close()
      const again = await createManagerServer({ manager: test.manager.manager as never, listen: '127.0.0.1:0' })
      try {
        await expect.poll(() => status('/ping')).toBe(200)
        const demo = at('/health', { host: `demo.apps.test:${proxy.https}` })
        expect((await call(demo)).status).toBe(200)
      } finally {
        await again.close()
      }
    },
  )
})
