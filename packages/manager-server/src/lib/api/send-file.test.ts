import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { afterEach, expect, it } from 'vitest'
import { sendErrors } from '../send-errors.js'
import { sendFile } from './send-file.js'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Sends the pieces under a name. @returns the address */
async function serve(name: string, content: () => AsyncIterable<Uint8Array>): Promise<string> {
  const koa = new Koa({ proxy: false })
  koa.silent = true
  koa.use(sendErrors())
  koa.use(async (context) => {
    const gone = new AbortController()
    context.res.once('close', () => gone.abort())
    await sendFile(context, { name, mime: 'application/gzip', content }, gone.signal)
  })
  server = createServer(koa.callback() as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function* pieces(...all: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const one of all) {
    if (one instanceof Error) throw one
    yield Buffer.from(one)
  }
}

it.each([
  ['a line end', 'a\r\nSet-Cookie: b=c\r\n\r\n<script>.tar.gz'],
  ['quotes and backslashes', 'a"; filename="b\\".tar.gz'],
  ['other scripts', 'été 数据.tar.gz'],
  ['a path', '../../etc/passwd'],
  ['300 characters', 'a'.repeat(300)],
])('a name with %s stays a name', async (_, name) => {
  const response = await fetch(await serve(name, () => pieces('one', 'two')))
  expect(response.headers.get('Set-Cookie')).toBeNull()
  const header = response.headers.get('Content-Disposition') ?? ''
  expect(header).toMatch(/^attachment; filename/)
  expect(header).not.toMatch(/[\r\n/]/)
  expect(await response.text()).toBe('onetwo')
})

it('a failure before the first byte is answered as one', async () => {
  const response = await fetch(await serve('a', () => pieces(new Error('no'))))
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ status: 1, code: 'ERR_FAILED' })
})

it('after it the connection is cut off', async () => {
  const response = await fetch(await serve('a', () => pieces('one', new Error('no'))))
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
})

it('nothing is sent: it is empty', async () => {
  expect(await (await fetch(await serve('a', () => pieces()))).text()).toBe('')
})

it('no more is made than is read, and nothing when the client is gone', async () => {
  let made = 0
  let isEnded = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        made += 100_000
        yield Buffer.alloc(100_000)
      }
    } finally {
      isEnded = true
    }
  }
  const client = new AbortController()
  const response = await fetch(await serve('a', endless), { signal: client.signal })
  const reader = response.body!.getReader()
  await reader.read()
  // What stands in the kernel's buffers and in those of fetch.
  const most = 50_000_000
  const known = { made: -1 }
  const grows = () => made !== known.made && made < most
  for (; grows(); await sleep(300)) known.made = made
  expect(made).toBeLessThan(most)
  client.abort()
  await expect.poll(() => isEnded).toBe(true)
})
