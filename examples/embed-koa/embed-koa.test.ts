import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, needs } from '../../tests/servers/index.js'
import { codeBlocks } from '../../tests/programs/markdown.js'
import { shellIsMissing, unexpectedOutputs } from '../../tests/programs/shell.js'
import { createApp } from './app.ts'

let folder: string
let server: Server
let close: () => Promise<void>
let db: Knex
let origin: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-embed-'))
  const filename = join(folder, 'tasks.db')
  db = knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true })
  const created = await createApp(db)
  close = created.close
  server = created.app.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise((done) => server.close(done))
  await close()
  await db.destroy()
  await rm(folder, { recursive: true })
})

function call(user: string, path: string, body?: object): Promise<Response> {
  const headers = { 'X-Demo-User': user, 'Content-Type': 'application/json' }
  return fetch(`${origin}${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
}

test('the shell block of the README prints what it says', async ({ skip }) => {
  skip(shellIsMissing() !== undefined, shellIsMissing())
  const [block = ''] = codeBlocks(new URL('README.md', import.meta.url), 'sh')
  expect(block).toContain('http://127.0.0.1:8081')
  expect(await unexpectedOutputs(block.replaceAll('http://127.0.0.1:8081', origin))).toEqual([])
})

test('the application keeps its own pages', async () => {
  expect(await (await fetch(origin)).text()).toBe('An application of its own.')
})

test('the pages for records are beside them, and ask the service for everything', async () => {
  const page = await fetch(`${origin}/ui/Task/1`, { headers: { Accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const html = await page.text()
  expect(html).toContain('data-title="Tasks" data-rest="../api/rest" data-login="false"')
  expect(html).toContain('<base href="../"')
})

test('everybody has their own records', async () => {
  const created = await call('ann', '/api/rest/Task', { tsk_title: 'Water the plants', tsk_due: '2026-05-06' })
  expect(created.status).toBe(200)
  const task = (await created.json()) as { row_id: string }
  expect(task).toMatchObject({ tsk_title: 'Water the plants', tsk_done: false, tsk_owner: 'ann' })
  expect(await (await call('ann', `/api/rest/Task/${task.row_id}`)).json()).toEqual(task)
  expect(await (await call('bob', '/api/rest/Task/')).json()).toEqual([])
  expect((await call('bob', `/api/rest/Task/${task.row_id}`)).status).toBe(404)
})

test('routes of the application and of the service share a router', async () => {
  const created = await call('ann', '/api/rest/Task', { tsk_title: 'Call Bob', tsk_due: '2026-05-07' })
  const { row_id: id } = (await created.json()) as { row_id: string }
  expect(created.headers.get('location')).toBe(`/api/rest/Task/${id}`)
  const label = await call('ann', `/api/rest/Task/${id}/label`)
  expect(await label.text()).toBe('Call Bob, until 2026-05-07')
  expect((await call('bob', `/api/rest/Task/${id}/label`)).status).toBe(404)
  const names = await Promise.all(
    [`/${id}`, '', '/_count', '/1/2/3'].map(async (path) =>
      (await call('ann', `/api/rest/Task${path}`)).headers.get('x-route'),
    ),
  )
  expect(names).toEqual(['row', 'object', 'count', 'unknown'])
  const wrong = await fetch(`${origin}/`, { method: 'DELETE' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'HEAD, GET'])
})

async function finishesOnce(at: string): Promise<void> {
  const send = (path: string, body?: object) =>
    fetch(`${at}${path}`, {
      method: 'POST',
      headers: { 'X-Demo-User': 'bob', 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const ids: string[] = []
  for (const title of ['Dig', 'Sow']) {
    const created = await send('/api/rest/Task', { tsk_title: title })
    ids.push(((await created.json()) as { row_id: string }).row_id)
  }
  expect((await send(`/api/rest/Task/${ids[0]}/finish`)).status).toBe(204)
  expect((await send(`/api/rest/Task/${ids[1]}/finish`)).status).toBe(409)
  const tasks = await fetch(`${at}/api/rest/Task/?tsk_title=Sow`, { headers: { 'X-Demo-User': 'bob' } })
  expect(await tasks.json()).toMatchObject([{ tsk_done: false }])
}

test('an update of two tables is kept together, or undone together, and reports join them', async () => {
  await finishesOnce(origin)
  const [team] = (await (await fetch(`${origin}/teams`)).json()) as { team: string; tasks: number }[]
  expect(team).toMatchObject({ team: 'Garden', tasks: expect.any(Number) as number })
})

needs('postgresql', (url) => {
  test('an update of two tables is kept together, or undone together, on PostgreSQL', async () => {
    const database = await freshDatabase(url)
    const own = knex({ client: 'pg', connection: database.url })
    const created = await createApp(own)
    const listening = created.app.listen(0, '127.0.0.1')
    await new Promise((done) => listening.once('listening', done))
    await finishesOnce(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`)
    await new Promise((done) => listening.close(done))
    await created.close()
    await own.destroy()
    await database.drop()
  })
})

test('a stranger learns what is missing', async () => {
  const refused = await fetch(`${origin}/api/rest/Task/`)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({
    code: 'ERR_CREDENTIALS',
    error: 'Say who you are in X-Demo-User: ann or bob.',
  })
})
