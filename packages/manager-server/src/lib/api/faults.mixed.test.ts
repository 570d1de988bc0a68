/** @module-tag mixed */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pLimit from 'p-limit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMount, mountMemory, unmount } from '../../../../manager-core/src/lib/testing/small-disk.js'
import { fillDisk } from '../../../../manager-core/src/lib/testing/fill-disk.js'
import { writeTemplate } from '../../../../manager-core/src/lib/testing/fake-application.js'
import { takePorts, type TakenPorts } from '../../../../manager-core/src/lib/testing/take-ports.js'
import { writeHook } from '../../../../manager-core/src/lib/testing/write-hook.js'
import { startApi, type TestApi } from './api-for-test.js'

describe('the server bears', () => {
  let api: TestApi
  let slow: readonly Promise<string>[]
  // A connection whose request does not come within seconds is closed, and this process is busy.
  const connecting = pLimit(100)
  beforeAll(async () => {
    api = await startApi()
    slow = Array.from({ length: 300 }, () => sendSlowly(api.server.url))
  })
  afterAll(() => api?.close())

  it('a thousand clients that follow the same operation', async () => {
    writeHook(api.manager.home, 'pre-add', 'while [ ! -e "$APPS_HOME/go" ]; do sleep 0.05; done')
    const { operation } = (await api.get('action=add&name=demo&async=true')).body
    const agent = new Agent({ maxSockets: Infinity })
    const address = `${api.server.url}/api?action=operation&id=${operation}`
    const options = { agent, auth: 'admin:admin', headers: { Accept: 'text/event-stream' } }
    const responses = await Promise.all(
      Array.from({ length: 1000 }, () =>
        connecting(
          () =>
            new Promise<IncomingMessage>((resolve, reject) => httpGet(address, options, resolve).on('error', reject)),
        ),
      ),
    )
    const streams = responses.map((response) => text(response))
    // Others are answered meanwhile.
    expect((await api.ask('list')).body.status).toBe(0)
    writeFileSync(join(api.manager.home, 'go'), '')
    for (const stream of await Promise.all(streams)) {
      expect(stream).toContain('event: operation\n')
      expect(stream).toMatch(/event: result\ndata: \{"status":0,.*\n\n$/)
    }
    agent.destroy()
  })

  it('a thousand clients that ask for this and that', async () => {
    const queries = [
      'action=list',
      'action=get&name=demo',
      'action=history&limit=5',
      'action=operations',
      'action=get&name=nobody',
      'action=config',
      'action=nothing',
    ]
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => connecting(() => api.get(queries[n % queries.length] as string))),
    )
    for (const [n, { status }] of answers.entries())
      expect({ n, status }).toEqual({ n, status: n % queries.length === 4 || n % queries.length === 6 ? 404 : 200 })
    expect((await api.ask('list')).body.status).toBe(0)
  })

  it('twenty clients that change the same instance: one after the other', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => api.ask(n % 2 ? 'protect' : 'unprotect', { name: 'demo', wait: '600' })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it.each([
    ['headers of 100 kB', `GET /api HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
    ['a hundred thousand headers', `GET /api HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(100_000)}\r\n`, 431],
    ['an address of 100 kB', `GET /api?action=${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    [
      'a password of 15 kB',
      `GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${'a'.repeat(15_000)}\r\nConnection: close\r\n\r\n`,
      401,
    ],
    ['what is no HTTP', 'GIVE me the list\r\n\r\n', 400],
    ['two lengths', 'GET /api HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length and chunks',
      'POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a line end in a header', 'GET /api HTTP/1.1\r\nHost: x\r\nX-A: b\nEvil: c\r\n\r\n', 400],
    ['a path out of it', 'GET /api/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    [
      'an address that cannot be decoded',
      'GET /%E0%A4%A?action=%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
  ])('%s', async (_, request, status) => {
    const answer = await exchange(api.server.url, request)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).not.toContain('root:x:0')
  })

  it(
    'clients that send their headers slowly: they are cut off, and others are answered meanwhile',
    { tags: 'core' },
    async () => {
      expect((await api.ask('list')).body.status).toBe(0)
      for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    },
  )
})

const reason = canMount() ? '' : ' (skipped: it takes the right to mount a small file system)'

describe.skipIf(reason !== '')(`a disk that gets full${reason}`, () => {
  let api: TestApi
  let folder: string
  let ports: TakenPorts
  const ballast = () => join(folder, 'home', 'ballast')
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-disk-'))
    mountMemory(folder, '40m')
    mkdirSync(join(folder, 'home'))
    writeTemplate(join(folder, 'template'))
    ports = takePorts()
    const lines = [
      'export APPS_BASEURL=http://localhost:8000',
      `export APPS_PORTS=${ports.range}`,
      'export APPS_ISOLATION=no',
    ]
    writeFileSync(join(folder, 'home', 'config.sh'), `${lines.join('\n')}\n`, { mode: 0o600 })
    writeFileSync(join(folder, 'home', 'version-1.0.sh'), `export APPS_TEMPLATE=folder:${folder}/template\n`)
    api = await startApi({ folder })
    await api.manager.context.templates.refresh()
    await api.ask('add', { name: 'demo', 'no-start': 'true' })
  })
  afterAll(async () => {
    await api?.close().catch(() => {})
    ports?.release()
    unmount(folder)
    rmSync(folder, { recursive: true })
  })

  it('while an operation continues: it is undone, its client learns it, and what is there is shown', async () => {
    writeHook(api.manager.home, 'pre-add', 'cat /dev/zero > "$APPS_HOME/ballast" 2>/dev/null; true')
    const { status, body } = await api.ask('add', { name: 'toolarge' })
    expect({ status, body }).toMatchObject({
      status: 500,
      body: { code: 'ERR_ROLLED_BACK', message: expect.stringMatching(/No space|disk is full/) },
    })
    expect((await api.ask('list')).body.list?.map(({ name }) => name)).toEqual(['demo'])
    expect((await api.ask('operations')).body.list?.map(({ state }) => state)).toContain('rolled_back')
  })

  it('what is asked then is refused with the reason, and done again when there is room', { tags: 'core' }, async () => {
    fillDisk(ballast())
    const refused = await api.get('action=stop&name=demo&async=true')
    expect({ status: refused.status, body: refused.body }).toMatchObject({ status: 507, body: { code: 'ERR_DISK' } })
    rmSync(ballast())
    expect((await api.ask('start', { name: 'demo' })).body).toMatchObject({ status: 0 })
  })
})

/** One byte of a header every half a second. */
function sendSlowly(url: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET /api HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const timer = setInterval(() => socket.write('a'), 500)
  socket.on('error', () => {})
  return text(socket)
    .catch(() => '')
    .finally(() => clearInterval(timer))
}

async function exchange(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('utf8').on('data', (piece) => (answer += piece))
  socket.write(request)
  await expect.poll(() => answer).toContain('\r\n\r\n')
  socket.destroy()
  return answer
}
