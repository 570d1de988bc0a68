import { once } from 'node:events'
import { Readable } from 'node:stream'
import Koa from 'koa'
import { afterEach, expect, test } from 'vitest'
import { connectTo, serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { sendContent } from './send-content.js'
import type { Respond } from './delivery.js'
import type { Content } from './send-content.js'
import { sendError } from './send-error.js'

let server: TestServer
afterEach(() => server.close())

async function start(
  content: () => Content,
  respond: Respond = 'direct',
): Promise<{ errors: unknown[]; bytes: unknown[] }> {
  const errors: unknown[] = []
  const bytes: unknown[] = []
  const app = new Koa()
  app.on('error', (error) => errors.push(error))
  app.use(async (context) => {
    try {
      await sendContent(context, respond, 200, ['Content-Type', 'text/plain'], content())
    } catch (error) {
      sendError(context, error)
    }
    bytes.push(context.state['bytes'])
  })
  server = await serve(app)
  return { errors, bytes }
}

test.each(['direct', 'koa'] as const)(
  'bytes and streams are answered, with their length when it is known (%s)',
  async (respond) => {
    const contents: Content[] = [
      Buffer.from('bytes'),
      { stream: Readable.from([Buffer.from('str'), Buffer.from('eam')]), length: 6 },
      { stream: Readable.from(['über', ' texts']) },
      { stream: Readable.from([]) },
    ]
    const { bytes } = await start(() => contents.shift() as Content, respond)
    const answers: unknown[] = []
    for (let n = 0; n < 4; n++) {
      const response = await fetch(server.url)
      answers.push([response.headers.get('content-length'), await response.text()])
    }
    expect(answers).toEqual([
      ['5', 'bytes'],
      ['6', 'stream'],
      [null, 'über texts'],
      // Koa knows that there is nothing.
      [respond === 'koa' ? '0' : null, ''],
    ])
    if (respond === 'direct') expect(bytes).toEqual([5, 6, 11, undefined])
  },
)

test('HEAD gets the headers only, and the stream is given up', async () => {
  const stream = Readable.from([Buffer.from('never')])
  await start(() => ({ stream, length: 5 }))
  const response = await fetch(server.url, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '5', ''])
  expect(stream.destroyed).toBe(true)
})

test('a stream that fails before its first byte is an answer with its status', async () => {
  const { errors } = await start(() => ({
    stream: new Readable({
      read() {
        this.destroy(new Error('no such file'))
      },
    }),
  }))
  const response = await fetch(server.url)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('no such file')
  expect(errors).toEqual([new Error('no such file')])
})

test.each(['direct', 'koa'] as const)('a stream that fails midway cuts the connection (%s)', async (respond) => {
  async function* failing() {
    yield Buffer.from('first')
    await new Promise((resolve) => setTimeout(resolve, 20))
    throw new Error('disk is gone')
  }
  const { errors } = await start(() => ({ stream: Readable.from(failing()) }), respond)
  const response = await fetch(server.url)
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  // Koa reports one error by its stream and by its connection.
  await expect.poll(() => [...new Set(errors)]).toMatchObject([{ message: 'disk is gone' }])
})

test('a client that goes away ends the reading', async () => {
  const stream = Readable.from(
    (async function* () {
      for (;;) yield Buffer.alloc(65_536)
    })(),
  )
  const { errors } = await start(() => ({ stream }))
  const connection = await connectTo(server.port)
  connection.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await connection.until(/200 OK/)
  const closed = once(stream, 'close')
  connection.socket.destroy()
  await closed
  // Koa itself reports connections that were reset.
  expect(errors.filter((error) => (error as NodeJS.ErrnoException).code !== 'ECONNRESET')).toEqual([])
})
