import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { isRoot } from '../../../../../tests/servers/as-user.js'
import { startPages, type TestPages } from '../../ui-for-test.js'

const password = 'a-password'
const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
let pages: TestPages

beforeAll(async () => {
  pages = await startPages({
    refresh: false,
    // Root may not, and the tests run as root at some places.
    config: ['APPS_TERMINAL=yes', 'APPS_USER=nobody', `APPS_PASSWORD=${password}`],
  })
  for (const folder of [pages.manager.folder, pages.manager.home]) chmodSync(folder, 0o755)
})
afterAll(() => pages?.close())

const at = (path: string) => new URL(path, pages.url)

async function ask(
  path: string,
  headers: Record<string, string> = { authorization: basic, 'x-manager-request': 'ui' },
) {
  const answer = await fetch(at(path), { headers, redirect: 'manual' })
  const body = answer.headers.get('content-type')?.includes('json') ? await answer.json() : undefined
  return { status: answer.status, location: answer.headers.get('location'), body: body as Record<string, string> }
}

async function ticket(query = ''): Promise<string> {
  return (await ask(`/term/ticket${query}`)).body['ticket'] as string
}

/** A terminal as a page has it. */
async function open(given: string, origin = at('/').origin) {
  const socket = new WebSocket(at('/term').href.replace('http', 'ws'), ['steward.terminal', given], { origin })
  let screen = ''
  let bytes = 0
  const end = Promise.withResolvers<{ readonly code: number; readonly reason: string }>()
  socket.on('message', (data: Buffer) => {
    screen = (screen + data.toString('latin1')).slice(-5000)
    bytes += data.length
  })
  socket.on('close', (code, reason) => end.resolve({ code, reason: reason.toString() }))
  await once(socket, 'open')
  return {
    socket,
    ended: end.promise,
    /** The last of it. */
    text: () => screen,
    bytes: () => bytes,
    type: (text: string) => socket.send(Buffer.from(text)),
  }
}

/** Status that an upgrade is refused with. */
async function refused(given: string, origin?: string): Promise<number | undefined> {
  const socket = new WebSocket(at('/term').href.replace('http', 'ws'), ['steward.terminal', given], {
    ...(origin !== undefined && { origin }),
  })
  socket.on('error', () => undefined)
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { readonly statusCode?: number }]
  return response.statusCode
}

describe('terminal', () => {
  it('runs a shell that is not root, with the command line of the manager', async () => {
    const terminal = await open(await ticket())
    terminal.socket.send(JSON.stringify({ columns: 101, rows: 33 }))
    terminal.type('id -u; stty size; command -v manager; echo done=$((40 + 2))\n')
    await expect.poll(terminal.text).toContain('done=42')
    expect(terminal.text()).toContain('33 101')
    expect(terminal.text()).toContain('/bin/manager')
    if (isRoot()) expect(terminal.text()).not.toMatch(/^0\r$/m)
    terminal.type('exit 3\n')
    expect(await terminal.ended).toEqual({ code: 1000, reason: 'the shell ended with code 3' })
    const { list } = await pages.manager.perform('history')
    expect(list?.slice(-2)).toMatchObject([
      {
        action: 'terminal',
        actor: 'admin',
        address: '127.0.0.1',
        message: expect.stringMatching(/^Terminal opened as /),
      },
      { action: 'terminal', actor: 'admin', message: 'Terminal closed: the shell ended with code 3' },
    ])
  })

  it('ends the shell when the page is left', async () => {
    const terminal = await open(await ticket())
    terminal.type('echo pid=$$; sleep 1000\n')
    await expect.poll(terminal.text).toMatch(/pid=\d+/)
    const pid = Number(/pid=(\d+)/.exec(terminal.text())?.[1])
    terminal.socket.close()
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('ends when its user may no longer be here', async () => {
    const { item } = await pages.manager.perform('token add', { name: 'shell', abilities: 'admin,sensitive' })
    const { token } = item as { readonly token: string }
    const { body } = await ask('/term/ticket', { authorization: `Bearer ${token}` })
    const terminal = await open(body['ticket'] as string)
    await pages.manager.perform('token remove', { name: 'shell' })
    expect(await terminal.ended).toEqual({ code: 4004, reason: 'its user is no longer signed in' })
  })

  it('takes a ticket once, from its own pages only', async () => {
    const own = at('/').origin
    expect(await refused('made-up', own)).toBe(401)
    const once = await ticket()
    expect(await refused(once, 'http://evil.example')).toBe(403)
    expect(await refused(once)).toBe(403)
    const { socket } = await open(once)
    expect(await refused(once, own)).toBe(401)
    socket.terminate()
  })

  it('answers a request that offers another protocol as if it had not', async () => {
    const sent = get(at('/ping'), { headers: { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' } })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
  })

  it('gives tickets to no one else', async () => {
    expect((await ask('/term/ticket', {})).status).toBe(401)
    const fromPage = { authorization: basic, 'sec-fetch-site': 'same-site' }
    expect((await ask('/term/ticket', fromPage)).status).toBe(403)
    const { item } = await pages.manager.perform('token add', { name: 'operator', abilities: 'admin' })
    const token = { authorization: `Bearer ${(item as { readonly token: string }).token}` }
    expect((await ask('/term/ticket', token)).status).toBe(403)
    expect((await ask('/term/ticket?instance=nobody')).status).toBe(404)
    expect(await ask('/term?instance=demo')).toMatchObject({ status: 302, location: '/ui/terminal?instance=demo' })
  })

  it('lets the shell wait for a page that takes no output', async () => {
    const terminal = await open(await ticket())
    terminal.socket.pause()
    const over = join(pages.manager.folder, 'over')
    writeFileSync(over, '')
    chmodSync(over, 0o666)
    // More than the buffers of the system hold.
    terminal.type(`head -c 12000000 /dev/zero | tr '\\0' x; echo; echo over=$((1 + 1)) | tee ${over}\n`)
    await sleep(800)
    expect(readFileSync(over, 'utf8')).toBe('')
    terminal.socket.resume()
    await expect.poll(terminal.text).toContain('over=2')
    expect(readFileSync(over, 'utf8')).toBe('over=2\n')
    expect(terminal.bytes()).toBeGreaterThan(12_000_000)
    terminal.socket.terminate()
  })

  it('ends with the server', async () => {
    const other = await open(await ticket())
    await expect.poll(other.text).toContain('$')
    await pages.restart()
    expect(await other.ended).toEqual({ code: 4003, reason: 'the server was stopped' })
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
