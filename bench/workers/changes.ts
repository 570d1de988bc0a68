import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { password, startServer } from './app-server.ts'
import { databases, startDatabase, type Database } from './database.ts'

const { values: options } = parseArgs({
  options: { changes: { type: 'string', default: '60' }, help: { type: 'boolean' } },
})

if (options.help) {
  console.log('usage: npm run bench:changes -- [--changes 60]')
  process.exit(0)
}

const changes = Number(options.changes)
const basic = (login: string) => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
const agent = new Agent({ keepAlive: true })

for (const database of databases) await measure(database)
agent.destroy()

/** How long a right that one server has changed takes to hold at the other one, which is asked all the time, in ms. */
async function measure(database: Database): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bench-changes-'))
  const running = await startDatabase(database, folder)
  const stops: (() => Promise<void>)[] = [() => running.close(), () => rm(folder, { recursive: true, force: true })]
  try {
    await mkdir(join(folder, 'objects'))
    await writeFile(join(folder, 'app.yaml'), 'name: bench\nversion: 1.0.0\nlog: { format: none, level: warn }\n')
    await writeFile(join(folder, 'objects/item.yaml'), 'name: Item\nfields:\n  itm_code: { type: string, key: true }\n')
    const servers: string[] = []
    for (const data of ['one', 'two']) {
      const { origin, stop } = await startServer(folder, running.url, ['--data', join(folder, data)])
      servers.push(origin)
      stops.unshift(stop)
    }
    const [here = '', there = ''] = servers
    const create = async (object: string, values: object): Promise<string> =>
      ((await send(here, 'POST', object, 'admin', values)).json as { row_id: string }).row_id
    const user = await create('User', { usr_login: 'ann', usr_password: password })
    const group = await create('Group', { grp_name: 'READERS' })
    await create('Responsibility', { rsp_login_id: user, rsp_group_id: group })
    /** Requests that were answered by the former right, by change. */
    const outdated: number[] = []
    const holds = async (status: number): Promise<void> => {
      for (let before = 0; ; before++) {
        if ((await send(there, 'GET', 'Item/?_page=0', 'ann')).status !== status) continue
        outdated.push(before)
        return
      }
    }
    await holds(403)
    const took: number[] = []
    for (let change = 0; change < changes; change += 2) {
      const grant = await create('Grant', { grt_group_id: group, grt_object: 'Item', grt_rights: 'R' })
      took.push(await timed(() => holds(200)))
      // Not in step with the server's own looks.
      await sleep(Math.random() * 1000)
      await send(here, 'DELETE', `Grant/${grant}`, 'admin')
      took.push(await timed(() => holds(403)))
      await sleep(Math.random() * 1000)
    }
    print(database, took, outdated)
  } finally {
    for (const stop of stops) await stop()
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function send(origin: string, method: string, path: string, login: string, body?: object) {
  const headers = { authorization: basic(login), 'content-type': 'application/json' }
  return new Promise<{ readonly status: number; readonly json: unknown }>((resolve, reject) => {
    const sent = request(`${origin}/api/rest/${path}`, { method, agent, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, json: JSON.parse(text) as unknown }))
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

function print(database: Database, took: readonly number[], outdated: readonly number[]): void {
  const ms = [0.5, 0.95, 1].map((part) => quantile(took, part).toFixed(0))
  console.log(
    `${database}: median ${ms[0]} ms, 95th percentile ${ms[1]} ms, longest ${ms[2]} ms of ${took.length} changes; requests ` +
      `answered by the former right: median ${quantile(outdated, 0.5)}, most ${quantile(outdated, 1)}; ` +
      `${availableParallelism()} CPU cores, load ${loadavg()[0]?.toFixed(1)}`,
  )
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
