import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type RunningApp } from './programs/app-server.js'

const template = fileURLToPath(new URL('../templates/default', import.meta.url))
let data: string
let app: RunningApp

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'steward-default-'))
  app = await startApp([template, '--data', data])
})
afterAll(async () => {
  await app?.stop()
  await rm(data, { recursive: true })
})

test('the default template has records to look at', async () => {
  const { body } = await app.call('/Task/?tas_state=running')
  expect(body).toMatchObject([{ tas_code: 'T2', tas_contact_id__con_company_id__com_name: 'Babbage Mills' }])
  expect((await app.call('/Company/?_count=true')).body.count).toBe(3)
})

test('its tasks go from state to state', async () => {
  const [{ row_id: id }] = (await app.call('/Task/?tas_code=T1')).body
  const refused = await app.call(`/Task/${id}`, { method: 'PUT', body: { tas_state: 'nowhere' } })
  expect(refused.status).toBe(400)
  const done = await app.call(`/Task/${id}`, { method: 'PUT', body: { tas_state: 'done' } })
  expect(done).toMatchObject({ status: 200, body: { tas_state: 'done' } })
})

test('its publication, pivot table, index and tester page work', async () => {
  const { body: cross } = await app.call('/Task/?_crosstab=work')
  expect(cross.totals).toEqual([4, 13.5])
  const { body: card } = await app.call('/Contact/1/publication:card?_output=json')
  expect(card.content).toContain('<h1>Ada Lovelace</h1>')
  expect((await app.call('/Contact/?_indexsearch=curie')).body.length).toBeGreaterThan(0)
  expect((await fetch(`${app.origin}/api/tester`)).status).toBe(200)
})
