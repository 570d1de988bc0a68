import { beforeAll, expect, it } from 'vitest'
import { basic } from './caller.js'
import type { Suite } from './suite.js'
import { connectTo } from './serve.js'

/** Connections that are used again, slow, cut. */
export function testConnections(suite: Suite): void {
  let id: string
  const head = (line: string, more = ''): string =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('ann', 'ann')}\r\n${more}\r\n`
  const post = (body: string, type = 'application/json'): string =>
    head('POST /api/rest/Movie', `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`) + body

  beforeAll(async () => {
    id = (await suite.call('POST', '/Movie', { json: { mov_title: 'Kept alive' } })).json.row_id
  })

  it('pipelined requests are answered in their order, also after errors', async () => {
    const connection = await connectTo(suite.server.port)
    connection.send(
      [
        head(`GET /api/rest/Movie/${id}`),
        post('{"mov_title":'),
        head('GET /api/rest/Nope'),
        post('x', 'text/plain'),
        head('GET /api/rest/Movie?mov_nope=1'),
        head('PUT /api/rest/Movie', 'Content-Length: 2\r\n') + '{}',
        post('{"mov_title":"Pipelined"}'),
        head('POST /api/rest/Movie', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n') + '0\r\n\r\n',
        head(`GET /api/rest/Movie/${id}`, 'Connection: close\r\n'),
      ].join(''),
    )
    const statuses = [...(await connection.end()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    expect(statuses).toEqual([200, 400, 404, 415, 400, 405, 200, 400, 200])
  })

  it('a slow body is waited for', async () => {
    const connection = await connectTo(suite.server.port)
    const text = post('{"mov_title":"Slow"}')
    for (let at = 0; at < text.length; at += 40) {
      connection.send(text.slice(at, at + 40))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(await connection.until(/"row_id"/)).toContain('200 OK')
    connection.socket.destroy()
  })

  it('a body that never ends keeps nothing, and others are served meanwhile', async () => {
    const connection = await connectTo(suite.server.port)
    connection.send(post('{"mov_title":"Never whole"}').slice(0, -5))
    expect((await suite.call('GET', `/Movie/${id}`)).status).toBe(200)
    connection.socket.destroy()
    await expect
      .poll(() => new Promise((resolve) => suite.server.server.getConnections((_, count) => resolve(count))))
      .toBeLessThan(5)
    expect((await suite.call('GET', '/Movie?mov_title=Never%25&_count=true')).json.count).toBe(0)
  })

  it('a body that is too long is answered and the connection ends', async () => {
    const connection = await connectTo(suite.server.port)
    connection.send(head('POST /api/rest/Movie', 'Content-Type: application/json\r\nContent-Length: 100000000\r\n'))
    const answer = await connection.until(/ERR_TOO_LARGE/)
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^\r]*\r\n/)
    expect(answer).toMatch(/connection: close/i)
    connection.send('x'.repeat(1000))
    await connection.end()
  })

  it('a chunked body that becomes too long is answered and the connection ends', async () => {
    const connection = await connectTo(suite.server.port)
    connection.send(head('POST /api/rest/Movie', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'))
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    for (let sent = 0; sent < 11; sent++) connection.send(chunk)
    expect(await connection.until(/ERR_TOO_LARGE/)).toMatch(/^HTTP\/1\.1 413 /)
    connection.send('0\r\n\r\n')
    await connection.end()
  })

  it('raw bytes in an address are refused', async () => {
    const connection = await connectTo(suite.server.port)
    connection.send(Buffer.from(head('GET /api/rest/Movie?mov_title=\u00e9', 'Connection: close\r\n'), 'utf8'))
    expect(await connection.end()).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('an address that names the host works', async () => {
    const connection = await connectTo(suite.server.port)
    connection.send(head(`GET http://x/api/rest/Movie/${id}?_fields=mov_title`, 'Connection: close\r\n'))
    expect(await connection.end()).toContain('"mov_title":"Kept alive"')
  })

  it('a client that goes away in the middle of a search leaves the server well', async () => {
    await suite.service.transaction(async (service) => {
      for (let n = 0; n < 1500; n++)
        await service.create(suite.ann, 'Genre', { gen_code: `gone ${n}`, gen_name: 'x'.repeat(100) })
    })
    for (let turn = 0; turn < 5; turn++) {
      const connection = await connectTo(suite.server.port)
      connection.send(head('GET /api/rest/Genre'))
      await connection.until(/200 OK/)
      connection.socket.destroy()
    }
    expect((await suite.call('GET', '/Genre')).json).toHaveLength(1500)
  })
}
