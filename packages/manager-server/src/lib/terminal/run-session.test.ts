import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { loadPty } from './load-pty.js'
import { runSession, type SessionOptions } from './run-session.js'

/** A session of a shell under the test's control, with a client that sends nothing by itself. */
async function session(script: string, options: Partial<SessionOptions>) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong: false })
  await once(client, 'open')
  const [socket] = (await accepted) as [WebSocket]
  onTestFinished(() => {
    client.terminate()
    server.close()
  })
  const { spawn } = await loadPty()
  const pty = spawn('/bin/sh', ['-c', script], { encoding: null, cwd: '/' })
  const { signal } = new AbortController()
  const ended = runSession({ socket, pty, idleMs: 60_000, maxMs: 60_000, signal, ...options })
  return { client, pid: pty.pid, ended }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it.each([
  [{ idleMs: 100 }, { code: 4001, how: 'no input for 0 s' }],
  [{ maxMs: 100 }, { code: 4002, how: 'open for 0 s' }],
  [{ pingMs: 50 }, { code: 1000, how: 'the connection was lost' }],
])('ends with %o', async (options, end) => {
  const { ended, pid } = await session('sleep 1000', options)
  expect(await ended).toEqual(end)
  expect(isAlive(pid)).toBe(false)
})

it('kills a shell that does not hang up', async () => {
  const { ended, pid, client } = await session("trap '' HUP; while :; do sleep 1; done", {})
  client.terminate()
  expect(await ended).toEqual({ code: 1000, how: 'the page was left' })
  expect(isAlive(pid)).toBe(false)
})

it('passes over messages that make no sense', async () => {
  const { ended, client } = await session('read line; echo "$line"; stty size', {})
  for (const text of [
    '',
    '{',
    'null',
    '{"columns":0,"rows":-1}',
    '{"columns":1e9,"rows":5}',
    '{"columns":90,"rows":9}',
  ])
    client.send(text)
  let screen = ''
  client.on('message', (data: Buffer) => (screen += data.toString()))
  client.send(Buffer.from('it works\n'))
  expect(await ended).toEqual({ code: 1000, how: 'the shell ended with code 0' })
  await expect.poll(() => screen).toContain('9 90')
})
