import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isPortFree } from '../system/port.js'
import { checkHealth, waitForHealth } from './health.js'
import { deployedPath } from './tomcat/base-files.js'

const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Where this process answers. */
const at = (port: number) => ({ port, owner: { uids: [process.getuid?.() ?? 0] } })

const says = (status: number, text: string) => serve((_request, response) => void response.writeHead(status).end(text))

describe('checkHealth()', () => {
  it('reads sections and says when all is well', async () => {
    const text = '[platform]\r\nstatus=OK\nversion = 1.0 \n\n[disk]\nfree=a=b\nnot a pair\n'
    expect(await checkHealth(at(await says(200, text)))).toMatchObject({
      ok: true,
      reason: undefined,
      text,
      sections: { platform: { status: 'OK', version: '1.0' }, disk: { free: 'a=b' } },
    })
  })

  it.each([
    [503, '[platform]\nstatus=KO\n', 'status-KO'],
    [200, '[platform]\nstatus=WARNING\n', 'status-WARNING'],
    [404, 'Not found', 'http-404'],
    [503, '{"error":"The application is starting"}', 'http-503'],
    [302, '', 'http-302'],
    [200, '<html>another server</html>', 'status-unknown'],
    [200, '[__proto__]\nstatus=OK\n[constructor]\nstatus=OK\n', 'status-unknown'],
  ])('%i %j is %s', async (status, text, reason) => {
    expect(await checkHealth(at(await says(status, text)))).toMatchObject({ ok: false, reason })
  })

  it.each([
    [200, '[platform]\nstatus=OK\n', { ok: true, reason: undefined }],
    [503, '{"platform":{"status":"DATABASE"},"process":{"pid":7}}', { ok: false, reason: 'status-DATABASE' }],
    [200, '{"platform":{"status":"OK"},"process":{"pid":7}}', { ok: true, sections: { process: { pid: '7' } } }],
    [404, '<h1>Not found</h1>', { ok: true, reason: undefined, silent: 404 }],
    [302, '', { ok: true, silent: 302 }],
    [200, '["a list"]', { ok: true, silent: 200 }],
    [200, 'null', { ok: true, silent: 200 }],
    [500, 'A stack', { ok: false, reason: 'http-500' }],
  ])('of a Java web application that is deployed, %i %j is %j', async (status, text, expected) => {
    const port = await serve(({ url }, response) => {
      if (url === deployedPath) response.end()
      else response.writeHead(url === '/shop/health' ? status : 500).end(text)
    })
    expect(await checkHealth({ ...at(port), context: '/shop' })).toMatchObject(expected)
  })

  it('of a Java web application that is not deployed says so, and is not waited for', async () => {
    const port = await serve(({ url }, response) => void response.writeHead(url === deployedPath ? 503 : 404).end())
    expect(await checkHealth({ ...at(port), context: '/' })).toMatchObject({ ok: false, reason: 'not-deployed' })
    const waiting = waitForHealth({ ...at(port), context: '/' }, { timeoutMs: 3_600_000 })
    expect(await waiting).toMatchObject({ ok: false, reason: 'not-deployed' })
  })

  it('of a missing server, and of one that hangs, is unreachable', async () => {
    const port = await says(200, '')
    ends.splice(0).forEach((end) => end())
    await expect.poll(() => isPortFree(port)).toBe(true)
    expect(await checkHealth(at(port))).toMatchObject({ ok: false, reason: 'unreachable', text: '' })
    const hanging = await serve((_request, response) => void response.writeHead(200).write('[platform]\nstatus=OK\n'))
    expect(await checkHealth(at(hanging), { timeoutMs: 100 })).toMatchObject({ ok: false, reason: 'unreachable' })
  })

  it('that takes long is well, and slow', async () => {
    const port = await serve((_request, response) => void setTimeout(() => response.end('[platform]\nstatus=OK\n'), 50))
    expect(await checkHealth(at(port), { slowMs: 20 })).toMatchObject({ ok: true, reason: 'slow' })
  })

  it('reads no more of a long answer than it needs', async () => {
    const port = await serve((_request, response) => {
      const write = () => {
        while (response.write('x'.repeat(10_000)));
      }
      response.on('drain', write)
      write()
    })
    const { ok, text } = await checkHealth(at(port))
    expect({ ok, length: text.length }).toEqual({ ok: false, length: 100_000 })
  })
})

describe('waitForHealth()', () => {
  it('waits until it is well', async () => {
    let calls = 0
    const port = await serve((_request, response) => {
      response.writeHead(++calls < 3 ? 503 : 200).end(calls < 3 ? '' : '[platform]\nstatus=OK\n')
    })
    expect(await waitForHealth(at(port), { timeoutMs: 20_000 })).toMatchObject({ ok: true })
  })

  it('ends with the time, the process, and the signal', async () => {
    const port = await says(200, '[platform]\nstatus=KO\n')
    expect(await waitForHealth(at(port), { timeoutMs: 1500 })).toMatchObject({ ok: false, reason: 'status-KO' })
    const stillRunning = async () => false
    expect(await waitForHealth(at(port), { timeoutMs: 60_000, stillRunning })).toMatchObject({ reason: 'status-KO' })
    const signal = AbortSignal.timeout(50)
    await expect(waitForHealth(at(port), { timeoutMs: 60_000, signal })).rejects.toThrow()
  })
})
