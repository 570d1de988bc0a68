import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { MemoryLimits } from '@steward/rest-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectTo } from '../../packages/rest-koa/src/lib/testing/serve.js'
import { onEachDatabase } from '../databases.js'
import { makeFolder } from '../servers/folders.js'
import type { FreshDatabase } from '../servers/index.js'

const mib = 2 ** 20
/** MiB of the heap that the server may have. */
const heap = 200
/** What each attack asks for is more than the heap. */
const topicBytes = 0.9 * mib
const notes = 240

onEachDatabase((fresh) => {
  let database: FreshDatabase
  let folder: string
  let child: ChildProcess
  let started: { readonly port: number; readonly topic: string; readonly limits: MemoryLimits }

  beforeAll(async () => {
    database = await fresh()
    folder = await makeFolder('memory')
    const script = fileURLToPath(new URL('./small-heap.ts', import.meta.url))
    child = fork(script, [database.url, folder, `${topicBytes}`, `${notes}`], {
      execArgv: [`--max-old-space-size=${heap}`],
    })
    ;[started] = (await once(child, 'message')) as [typeof started]
  }, 120_000)
  afterAll(async () => {
    child.kill()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  interface Answer {
    readonly status: number | undefined
    readonly bytes: number
    /** The first characters. */
    readonly start: string
  }

  /** Sends a request of a user, and reads the answer, or `most` bytes of it, without keeping it. */
  async function ask(
    user: string,
    method: string,
    path: string,
    body?: Buffer | string,
    most = Infinity,
  ): Promise<Answer> {
    const headers = {
      'x-user': user,
      'content-type': 'application/json',
      ...(body && { 'content-length': body.length }),
    }
    const sent = request({
      port: started.port,
      host: '127.0.0.1',
      method,
      path: `/api/rest${path}`,
      headers,
      agent: false,
    })
    const answered = once(sent, 'response')
    sent.end(body)
    const [answer] = (await answered) as [IncomingMessage]
    let bytes = 0
    let start = ''
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (start.length < 1000) start += chunk.toString('latin1', 0, 1000)
      if (bytes > most) break
    }
    return { status: answer.statusCode, bytes, start }
  }

  async function look(): Promise<{ readonly rss: number; readonly used: number }> {
    child.send('look')
    return ((await once(child, 'message')) as [{ rss: number; used: number }])[0]
  }

  async function expectAlive(): Promise<void> {
    expect((await ask('bob', 'GET', '/Note/1')).status).toBe(200)
    expect(child.exitCode).toBeNull()
  }

  const linked = '_fields=not_topic__top_text'

  it('a page that multiplies a linked text is refused', { timeout: 120_000 }, async () => {
    for (const page of ['_page=0&_pagesize=1000', '_cursor=&_pagesize=1000']) {
      const { status, start } = await ask('ann', 'GET', `/Note/?${linked}&${page}`)
      expect([status, start]).toEqual([413, expect.stringContaining('Ask for fewer fields')])
    }
    await expectAlive()
  })

  it('a whole search that multiplies a linked text is answered', { timeout: 120_000 }, async () => {
    const { status, bytes } = await ask('ann', 'GET', `/Note/?${linked}`, undefined, 30 * mib)
    expect(status).toBe(200)
    expect(bytes).toBeGreaterThan(30 * mib)
    await expectAlive()
  })

  it('the answer of a batch that multiplies a record is refused', { timeout: 120_000 }, async () => {
    const items = Array.from({ length: notes }, () => ({ action: 'update', row_id: started.topic, values: {} }))
    for (const query of ['?_dryrun=true', '', '?_atomic=false&_dryrun=true']) {
      const { status, bytes } = await ask('ann', 'POST', `/Topic/_batch${query}`, JSON.stringify(items))
      expect(status).toBe(query.includes('_atomic') ? 200 : 413)
      expect(bytes).toBeLessThan(2 * started.limits.answer)
    }
    await expectAlive()
  })

  it('clients that read nothing hold little', { timeout: 120_000 }, async () => {
    const connections = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const connection = await connectTo(started.port)
        connection.socket.pause()
        connection.send(`GET /api/rest/Note/?${linked} HTTP/1.1\r\nHost: x\r\nX-User: ann\r\n\r\n`)
        return connection
      }),
    )
    let before = 0
    const isSame = (used: number): boolean => {
      const same = used > 0 && used === before
      before = used
      return same
    }
    await expect.poll(async () => isSame((await look()).used), { interval: 200 }).toBe(true)
    for (let times = 0; times < 20; times++) await expectAlive()
    expect((await look()).used).toBeLessThanOrEqual(started.limits.perUser)
    for (const { socket } of connections) socket.destroy()
    await expectAlive()
  })

  it('documents in answers are refused or wait', { timeout: 120_000 }, async () => {
    const large = Buffer.alloc(20 * mib, 'steward ')
    const small = Buffer.alloc(2 * mib, 'steward ')
    for (const [at, content] of [large, small].entries())
      expect((await ask('ann', 'PUT', `/Note/${at + 1}/_document/not_file`, content)).status).toBe(200)
    const inlined = (at: number) =>
      Promise.all(Array.from({ length: 20 }, () => ask('ann', 'GET', `/Note/${at}?_inline_documents=true`)))
    expect((await inlined(1)).map(({ status }) => status)).toEqual(Array(20).fill(413))
    const statuses = (await inlined(2)).map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    await expectAlive()
  })

  it('bodies that never end hold little', { timeout: 120_000 }, async () => {
    const part = Buffer.alloc(2 * mib, 'x')
    const connections = await Promise.all(
      Array.from({ length: 120 }, async () => {
        const connection = await connectTo(started.port)
        const head = ['POST /api/rest/Note HTTP/1.1', 'Host: x', 'X-User: ann', 'Content-Type: application/json']
        connection.send([...head, `Content-Length: ${60 * mib}`, '', '{"a":"'].join('\r\n'))
        connection.send(part)
        return connection
      }),
    )
    for (let times = 0; times < 20; times++) await expectAlive()
    expect((await ask('bob', 'POST', '/Note', '{}')).status).toBe(200)
    for (const { socket } of connections) socket.destroy()
    await expectAlive()
  })
})
