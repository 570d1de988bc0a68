import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../consistency/random.js'
import { freshDatabase, needs, toolIsMissing } from '../servers/index.js'
import { startFaultProxy, type FaultProxy } from '../servers/fault-proxy.js'
import { basic, makeFolder } from '../../packages/app-server/src/running-app-for-test.js'
import { topologies, type RunningTopology, type Topology } from './topologies.js'

/** Generous: for states that come by themselves on a machine that is busy. */
const soon = { timeout: 120_000, interval: 250 }

const admin = { ...basic('admin', 's3cret-passw0rd'), 'content-type': 'application/json' }
const ann = basic('ann', 'passport')

const files = {
  'app.yaml':
    'name: shop\nversion: 1.0.0\nlog: { format: none }\nsetup: setup.ts\nevents: { allowPrivateWebhooks: true }\n',
  'setup.ts': `
export default async function setup({ service, principal }: any) {
  for (const not_text of ['one', 'two', 'three']) await service.create(principal, 'Note', { not_text })
}
`,
  'objects/note.yaml':
    'name: Note\nevents: true\nfields:\n  not_text: { type: string }\n  not_count: { type: integer, default: 0 }\n',
  'objects/job.ts': `
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
const folder = join(import.meta.dirname, '..')
const wait = (resumable: boolean) => ({
  scope: 'global',
  background: true,
  resumable,
  parameters: { name: { type: 'string' } },
  async run({ parameters, signal }: any) {
    await writeFile(join(folder, parameters.name + '.pid'), String(process.pid))
    while (!existsSync(join(folder, parameters.name + '.go'))) await pause(20, undefined, { signal })
    return process.pid
  },
})
export const Job = {
  name: 'Job',
  fields: { job_name: { type: 'string' } },
  actions: { again: wait(true), once: wait(false) },
}
`,
}

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly json: any
  readonly headers: NodeJS.Dict<string | string[]>
}

/** On a connection of its own, so that any process may take it. */
function send(origin: string, method: string, path: string, headers: object = admin, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/api/${path}`, { method, agent: false, headers: { ...headers } }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('error', reject)
      answer.on('end', () => {
        const isJson = String(answer.headers['content-type']).includes('json')
        resolve({ status: answer.statusCode ?? 0, json: isJson ? JSON.parse(text) : text, headers: answer.headers })
      })
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

function testTopology(start: Topology, databaseUrl: string): void {
  const random = createRandom()
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let wire: FaultProxy
  let place: Awaited<ReturnType<typeof makeFolder>>
  let running: RunningTopology
  const call = (method: string, path: string, headers?: object, body?: object) =>
    send(running.origin, method, path, headers, body)
  const create = async (object: string, values: object): Promise<string> => {
    const { status, json } = await call('POST', `rest/${object}`, admin, values)
    expect([status, json]).toEqual([200, expect.anything()])
    return json.row_id as string
  }
  /** Calls it so often that each process gets some. */
  const everywhere = async (one: () => Promise<unknown>) => {
    const found = await Promise.all(Array.from({ length: 12 }, one))
    return [...new Set(found)]
  }
  const count = async (filter: string) => (await call('GET', `rest/Note/?_count=true&${filter}`)).json.count as number

  beforeAll(async () => {
    place = await makeFolder(files)
    database = await freshDatabase(databaseUrl)
    const behind = new URL(database.url)
    wire = await startFaultProxy({ to: Number(behind.port) })
    behind.port = String(wire.port)
    behind.hostname = '127.0.0.1'
    running = await start({
      folder: place.folder,
      env: { STEWARD_DATABASE: behind.href, STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' },
    })
  })
  afterAll(async () => {
    await running?.stop()
    await wire?.close()
    await database?.drop()
    await place?.remove()
  })

  it('starts for the first time once, whatever number of processes start', async () => {
    expect(await count('')).toBe(3)
    expect((await call('GET', 'rest/User/?_count=true')).json.count).toBe(1)
  })

  it('changes of users, rights, parameters and tokens hold in every process', async () => {
    const user = await create('User', { usr_login: 'ann', usr_password: 'passport' })
    const group = await create('Group', { grp_name: 'CLERK' })
    const responsibility = await create('Responsibility', { rsp_login_id: user, rsp_group_id: group })
    const read = () => everywhere(async () => (await call('GET', 'rest/Note', ann)).status)
    await expect.poll(read, soon).toEqual([403])
    await create('Grant', { grt_group_id: group, grt_object: 'Note', grt_rights: 'R' })
    await expect.poll(read, soon).toEqual([200])
    const token = { Authorization: `Bearer ${String((await call('POST', 'login', ann)).json).trim()}` }
    const withToken = () => everywhere(async () => (await call('GET', 'rest/Note', token)).status)
    await expect.poll(withToken, soon).toEqual([200])
    expect((await call('POST', 'logout', token)).status).toBe(200)
    await expect.poll(withToken, soon).toEqual([401])
    await call('DELETE', `rest/Responsibility/${responsibility}`)
    await expect.poll(read, soon).toEqual([403])
    await create('SystemParam', { sys_code: 'USE_API_TESTER', sys_value: 'no' })
    await expect.poll(() => everywhere(async () => (await call('GET', 'tester/')).status), soon).toEqual([404])
    expect((await call('PUT', `rest/User/${user}`, admin, { usr_active: false })).status).toBe(200)
    await expect.poll(read, soon).toEqual([401])
  })

  it('an Idempotency-Key and If-Match hold across processes', async () => {
    const keyed = { ...admin, 'Idempotency-Key': 'same' }
    const ids = () =>
      everywhere(async () => (await call('POST', 'rest/Note', keyed, { not_text: 'keyed' })).json.row_id)
    expect(await ids()).toHaveLength(1)
    expect(await count('not_text=keyed')).toBe(1)
    const id = await create('Note', { not_text: 'counter' })
    const increment = async (): Promise<void> => {
      for (;;) {
        const { json, headers } = await call('GET', `rest/Note/${id}`)
        const ifMatch = { ...admin, 'If-Match': String(headers['etag']) }
        const { status } = await call('PUT', `rest/Note/${id}`, ifMatch, { not_count: json.not_count + 1 })
        if (status === 200) return
        expect([412, 503]).toContain(status)
      }
    }
    await Promise.all(Array.from({ length: 4 }, async () => [await increment(), await increment(), await increment()]))
    expect((await call('GET', `rest/Note/${id}`)).json.not_count).toBe(12)
  })

  it('events reach streams in order, and webhooks once', async () => {
    const delivered: string[] = []
    const receiver = createServer((message, response) => {
      delivered.push(String(message.headers['webhook-id']))
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    // A webhook does not receive what is older, by the clock of the server that was asked.
    const [server] = running.servers
    const webhook = await send(server?.origin ?? '', 'POST', 'rest/Webhook', admin, {
      whk_name: 'w',
      whk_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      whk_secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    })
    expect(webhook.status).toBe(200)
    let streamed = ''
    const end = new AbortController()
    const stream = await fetch(`${running.origin}/api/events`, { headers: admin, signal: end.signal })
    const reading = (async () => {
      for await (const chunk of stream.body as AsyncIterable<Uint8Array>) streamed += new TextDecoder().decode(chunk)
    })().catch(() => {})
    const ids = await Promise.all(Array.from({ length: 15 }, (_, at) => create('Note', { not_text: `event ${at}` })))
    /** How often each of the records was reported; others may have been written just before. */
    const timesIn = (rows: readonly string[]) => ids.map((id) => rows.filter((row) => row === id).length)
    const once = ids.map(() => 1)
    const inStream = () => timesIn([...streamed.matchAll(/"row_id":"(\d+)"/g)].map(([, row = '']) => row))
    await expect.poll(inStream, soon).toEqual(once)
    const numbers = [...streamed.matchAll(/^id: ?(\d+)/gm)].map(([, number]) => Number(number))
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at))
    const done = async () => {
      const { json } = await call('GET', 'rest/WebhookDelivery/?whd_status=done')
      return timesIn((json as { whd_row_id: string }[]).map(({ whd_row_id: row }) => row))
    }
    await expect.poll(done, soon).toEqual(once)
    expect(new Set(delivered).size).toBe(delivered.length)
    end.abort()
    await reading
    await call('DELETE', `rest/Webhook/${webhook.json.row_id}`)
    receiver.close()
    receiver.closeAllConnections()
  })

  it('background actions are shown, cancelled and taken over by any process', async () => {
    const begin = async (action: string, task: string) => {
      const { status, json } = await call('POST', `rest/Job/action:${action}`, admin, { name: task })
      expect([status, json]).toEqual([202, expect.anything()])
      const file = join(place.folder, `${task}.pid`)
      await expect.poll(() => existsSync(file) && Number(readFileSync(file, 'utf8')) > 0, soon).toBe(true)
      return { id: json.id as string, pid: () => Number(readFileSync(file, 'utf8')) }
    }
    const statusesOf = (id: string) => everywhere(async () => (await call('GET', `rest/_task/${id}`)).json.status)
    const cancelled = await begin('once', 'cancelled')
    expect(await statusesOf(cancelled.id)).toEqual(['running'])
    const { json: listed } = await call('GET', 'rest/BackgroundTask/?tsk_status=running')
    expect(listed).toMatchObject([{ tsk_id: cancelled.id, tsk_login: 'admin' }])
    expect((await call('DELETE', `rest/_task/${cancelled.id}`)).status).toBe(200)
    await expect.poll(() => statusesOf(cancelled.id), soon).toEqual(['cancelled'])

    const once = await begin('once', 'once')
    await running.kill(once.pid())
    await expect.poll(() => statusesOf(once.id), soon).toEqual(['failed'])
    const again = await begin('again', 'again')
    const killed = again.pid()
    await running.kill(killed)
    await expect.poll(again.pid, soon).not.toBe(killed)
    await writeFile(join(place.folder, 'again.go'), '')
    await expect.poll(() => statusesOf(again.id), soon).toEqual(['done'])
    expect((await call('GET', `rest/_task/${again.id}`)).json.result).toBe(again.pid())
  })

  it(`killed processes lose nothing that was acknowledged (TEST_SEED=${random.seed})`, async () => {
    let acknowledged = 0
    const write = async (text: string): Promise<void> => {
      for (;;) {
        const keyed = { ...admin, 'Idempotency-Key': text }
        const answer = await call('POST', 'rest/Note', keyed, { not_text: text }).catch(() => undefined)
        if (answer?.status === 200) break
        if (answer) expect([409, 502, 503, 504]).toContain(answer.status)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      acknowledged++
    }
    const client = async (letter: string) => {
      for (let number = 0; number < 20; number++) await write(`killed-${letter}${number}`)
    }
    const clients = Promise.all(['a', 'b', 'c', 'd'].map(client))
    clients.catch(() => {})
    for (const at of [10, 40]) {
      await expect.poll(() => acknowledged, soon).toBeGreaterThan(at)
      const pids = running.pids()
      await running.kill(pids[random.below(pids.length)] as number)
    }
    await clients
    await expect.poll(() => count('not_text=killed%25'), soon).toBe(80)
  })

  it('a database that goes away is said to be away, and nothing is lost when it is back', async () => {
    const before = await count('')
    expect(before).toBeGreaterThan(80)
    wire.set({ kind: 'reset', times: Infinity })
    wire.cut()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', 'rest/Note', admin, { not_text: 'x' })),
    )
    for (const { status, json } of answers) expect([status, json.code]).toEqual([503, 'ERR_UNAVAILABLE'])
    wire.set(undefined)
    const statuses = () => everywhere(async () => (await call('GET', 'rest/Note/?_page=0')).status)
    await expect.poll(statuses, soon).toEqual([200])
    await expect.poll(() => count(''), soon).toBe(before)
  })
}

/** `npm run test:deep` runs each on both databases. */
const usual = ['four workers, postgresql', 'two servers behind nginx, mysql']

for (const database of ['postgresql', 'mysql'] as const)
  needs(database, (url) => {
    for (const [topology, start] of Object.entries(topologies)) {
      const name = `${topology}, ${database}`
      if (process.env['TEST_DEEP'] !== '1' && !usual.includes(name)) continue
      const missing = name.includes('nginx') ? toolIsMissing('nginx') : undefined
      describe.skipIf(missing !== undefined)(name, () => testTopology(start, url))
    }
  })
