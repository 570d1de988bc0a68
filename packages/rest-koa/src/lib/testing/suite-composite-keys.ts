import { randomUUID } from 'node:crypto'
import { systemPrincipal, defineObject } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import { createCaller } from './caller.js'
import type { CallService } from './caller.js'
import { checkDocumented } from './documented.js'
import type { RunningService, StartService } from './running-service.js'
import { serve } from './serve.js'
import type { TestServer } from './serve.js'

const Pallet = defineObject({
  name: 'Pallet',
  table: 'keys_pallet',
  fields: { pal_code: { type: 'string', length: 20, key: true } },
})
const Slot = defineObject({
  name: 'Slot',
  table: 'keys_slot',
  audit: true,
  events: true,
  indexable: ['slo_text'],
  fields: {
    row_id: { type: 'id', fields: ['slo_pallet', 'slo_code'] },
    slo_pallet: { type: 'reference', object: 'Pallet', display: ['pal_code'] },
    slo_code: { type: 'string', length: 20 },
    slo_lane: { type: 'integer' },
    slo_side: { type: 'string', length: 5 },
    slo_text: { type: 'string' },
    slo_serial: { type: 'integer', unique: true },
    slo_paper: { type: 'document' },
  },
})
const Move = defineObject({
  name: 'Move',
  table: 'keys_move',
  fields: {
    mov_number: { type: 'integer', key: true },
    mov_pallet: { type: 'reference', object: 'Pallet' },
    mov_code: { type: 'string', length: 20 },
    mov_slot: { type: 'reference', object: 'Slot', via: ['mov_pallet', 'mov_code'], display: ['slo_text'] },
  },
})

const codes = ['a', 'a~b', '..', 'a/b?c#d%2F', 'é 𝄞', '1']

/** Objects that several fields identify, the same on every store. */
export function testCompositeKeys(startService: StartService): void {
  let running: RunningService
  let server: TestServer
  let call: CallService
  let pallet: string

  beforeAll(async () => {
    running = await startService([...systemObjects, Pallet, Slot, Move])
    const app = new Koa()
    app.silent = true
    app.use(restRouter(running.service, { authenticate: () => systemPrincipal({ login: 'boss' }) }).routes())
    server = await serve(app)
    const base = `${server.url}/api/rest`
    call = createCaller(base, null, checkDocumented(base))
    pallet = (await call('POST', '/Pallet', { json: { pal_code: 'P1' } })).json.row_id
  })
  afterAll(async () => {
    await server?.close()
    await running?.close()
  })

  const create = (slo_code: string, more: object = {}) =>
    call('POST', '/Slot', { json: { slo_pallet: pallet, slo_code, ...more } })
  const messagesOf = ({ json }: { json: { messages?: { field?: string; code: string }[] } }) =>
    (json.messages ?? []).map(({ field, code }) => [field, code])

  it.each(codes)('a record with "%s" in its key is written, read, searched and deleted by its row id', async (code) => {
    const { json, status, text, headers } = await create(code)
    expect(status, text).toBe(200)
    const id: string = json.row_id
    expect(id).toMatch(/^[\w.~-]+$/)
    expect(headers.get('location')).toBe(`/api/rest/Slot/${id}`)
    const read = await call('GET', `/Slot/${id}`)
    expect(read.json).toEqual(json)
    const tag = read.headers.get('etag') as string
    const stale = await call('PUT', `/Slot/${id}`, { json: { slo_lane: 1 }, headers: { 'If-Match': '"other"' } })
    expect(stale.status).toBe(412)
    const changed = await call('PUT', `/Slot/${id}`, {
      json: { ...json, slo_lane: 2 },
      headers: { 'If-Match': tag },
    })
    expect([changed.status, changed.json]).toEqual([200, { ...json, slo_lane: 2 }])
    const byFilter = await call('GET', `/Slot?row_id=${encodeURIComponent(id)}&_fields=slo_code`)
    expect(byFilter.json).toEqual([{ row_id: id, slo_code: code }])
    const inList = await call(
      'GET',
      `/Slot?_fields=row_id&row_id=${encodeURIComponent(`in ('${id}', '${pallet}~none')`)}`,
    )
    expect(inList.json).toEqual([{ row_id: id }])
    const key = [pallet, code].map(encodeURIComponent).join(',')
    expect((await call('GET', `/Slot/_key/${key}`)).json).toEqual({ ...json, slo_lane: 2 })
    expect((await call('DELETE', `/Slot/${id}`)).json).toEqual({ row_id: id })
    expect((await call('GET', `/Slot/${id}`)).status).toBe(404)
    const { json: trail } = await call(
      'GET',
      `/AuditEntry?aud_object=Slot&aud_row_id=${encodeURIComponent(id)}&_order=row_id`,
    )
    expect(trail.map(({ aud_action }: { aud_action: string }) => aud_action)).toEqual(['create', 'update', 'delete'])
  })

  it('other spellings of a row id are not found, and no condition', async () => {
    await create('spelled')
    for (const id of [`${pallet}~.73pelled`, `0${pallet}~spelled`, `${pallet}~spelled~`, pallet, '~'])
      expect((await call('GET', `/Slot/${id}`)).status, id).toBe(404)
    expect((await call('GET', '/Slot?row_id=nonsense')).status).toBe(400)
    expect((await call('GET', "/Slot?row_id=like '1%25'")).status).toBe(400)
  })

  it('a key must be given whole, be free, and stays', async () => {
    const missing = await call('POST', '/Slot', { json: { slo_text: 'x' } })
    expect([missing.status, messagesOf(missing)]).toEqual([
      400,
      [
        ['slo_pallet', 'ERR_REQUIRED'],
        ['slo_code', 'ERR_REQUIRED'],
      ],
    ])
    const { json } = await create('taken')
    const again = await create('taken')
    expect([again.status, again.json.messages]).toEqual([
      409,
      [expect.objectContaining({ code: 'ERR_USERKEY', field: 'slo_pallet', fields: ['slo_pallet', 'slo_code'] })],
    ])
    const moved = await call('PUT', `/Slot/${json.row_id}`, { json: { slo_code: 'else', slo_lane: 1 } })
    expect([moved.status, moved.json.messages]).toEqual([
      400,
      [expect.objectContaining({ field: 'slo_code', text: expect.stringContaining('part of the row id') })],
    ])
    await create('serial', { slo_serial: 7 })
    expect(messagesOf(await create('serial2', { slo_serial: 7 }))).toEqual([['slo_serial', 'ERR_USERKEY']])
  })

  it('a reference is set by its row id or by its fields, and these agree', async () => {
    const { json: slot } = await create('ref/1', { slo_text: 'shown' })
    const byId = await call('POST', '/Move', { json: { mov_number: 1, mov_slot: slot.row_id } })
    expect(byId.json).toMatchObject({ mov_pallet: pallet, mov_code: 'ref/1', mov_slot__slo_text: 'shown' })
    const byFields = await call('POST', '/Move', { json: { mov_number: 2, mov_pallet: pallet, mov_code: 'ref/1' } })
    expect(byFields.json).toMatchObject({ mov_slot: slot.row_id, mov_slot__slo_text: 'shown' })
    const found = await call('GET', `/Move?mov_slot=${slot.row_id}&_order=mov_number&_fields=mov_number`)
    expect(found.json.map(({ mov_number }: { mov_number: number }) => mov_number)).toEqual([1, 2])
    const back = await call('PUT', `/Move/${byId.json.row_id}`, { json: { ...byId.json, mov_code: '' } })
    expect(back.json).toMatchObject({ mov_slot: '', mov_code: '', mov_pallet: pallet })
    const emptied = await call('PUT', `/Move/${byFields.json.row_id}`, { json: { mov_slot: '' } })
    expect(emptied.json).toMatchObject({ mov_slot: '', mov_code: '', mov_pallet: '' })
    const wrong = await call('POST', '/Move', { json: { mov_number: 3, mov_slot: slot.row_id, mov_code: 'else' } })
    expect([wrong.status, messagesOf(wrong)]).toEqual([400, [['mov_slot', 'ERR_REFERENCE']]])
    for (const given of [{ mov_slot: `${pallet}~none` }, { mov_pallet: pallet, mov_code: 'none' }]) {
      const broken = await call('POST', '/Move', { json: { mov_number: 3, ...given } })
      expect([broken.status, messagesOf(broken)]).toEqual([400, [['mov_slot', 'ERR_REFERENCE']]])
    }
    await call('PUT', `/Move/${byId.json.row_id}`, { json: { mov_slot: slot.row_id } })
    const kept = await call('DELETE', `/Slot/${slot.row_id}`)
    expect([kept.status, messagesOf(kept)]).toEqual([409, [['mov_slot', 'ERR_REFERENCE']]])
  })

  it('a row that is sent again with its idempotency key is written once', async () => {
    const again = async (method: string, path: string, json?: unknown) => {
      const headers = { 'idempotency-key': randomUUID() }
      const first = await call(method, path, { json, headers })
      expect([first.status, first.headers.get('idempotency-replayed')], first.text).toEqual([200, null])
      const second = await call(method, path, { json, headers })
      expect([second.status, second.text, second.headers.get('idempotency-replayed')]).toEqual([
        200,
        first.text,
        'true',
      ])
      for (const name of ['etag', 'location']) expect(second.headers.get(name), name).toBe(first.headers.get(name))
      return first
    }
    const values = { slo_pallet: pallet, slo_code: 'once/1' }
    const { json, headers } = await again('POST', '/Slot', values)
    const path = `/Slot/${json.row_id}`
    expect(headers.get('location')).toBe(`/api/rest${path}`)
    expect((await call('POST', '/Slot', { json: values, headers: { 'idempotency-key': randomUUID() } })).status).toBe(
      409,
    )
    await again('PUT', path, { slo_lane: 1 })
    await again('PUT', `/Slot/_key/${pallet},once%2F1`, { slo_lane: 2 })
    await again('POST', '/Slot/_batch', [{ action: 'update', row_id: json.row_id, values: { slo_lane: 3 } }])
    expect((await call('GET', path)).json).toMatchObject({ ...values, slo_lane: 3 })
    await again('DELETE', path)
    expect((await call('GET', path)).status).toBe(404)
    const trail = await call('GET', `/AuditEntry?_count=true&aud_object=Slot&aud_row_id=${json.row_id}`)
    expect(trail.json.count).toBe(5)
  })

  it('batches, documents, words and pages by cursor go by the row id', async () => {
    const batch = await call('POST', '/Slot/_batch', {
      json: [
        { action: 'create', values: { slo_pallet: pallet, slo_code: 'b~1', slo_text: 'seldom one' } },
        { action: 'update', row_id: `${pallet}~b.7E1`, values: { slo_lane: 3 } },
        { action: 'upsert', values: { slo_pallet: pallet, slo_code: 'b~1', slo_lane: 4 } },
        { action: 'create', values: { slo_pallet: pallet, slo_code: 'b~2' } },
        { action: 'delete', row_id: `${pallet}~b.7E2` },
      ],
    })
    expect(batch.status, batch.text).toBe(200)
    const id = `${pallet}~b.7E1`
    expect(batch.json[2]).toMatchObject({ status: 200, record: { row_id: id, slo_lane: 4 } })
    const paper = { name: 'a.txt', mime: 'text/plain', content: Buffer.from('paper').toString('base64') }
    expect((await call('PUT', `/Slot/${id}`, { json: { slo_paper: paper } })).status).toBe(200)
    expect((await call('GET', `/Slot/${id}/_document/slo_paper`)).text).toBe('paper')
    if (running.store.capabilities.indexSearch) {
      const { json: hits } = await call('GET', '/Slot/?_indexsearch=seldom')
      expect(JSON.stringify(hits)).toContain(id)
    }
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await call('GET', `/Slot?_order=slo_lane&_pagesize=2&_cursor=${encodeURIComponent(cursor)}`)
      seen.push(...page.json.map(({ row_id }: { row_id: string }) => row_id))
      cursor = page.headers.get('x-next-cursor')
    }
    const { json } = await call('GET', '/Slot?_count=true')
    expect([new Set(seen).size, seen.length]).toEqual([json.count, json.count])
  })

  it('metadata names the fields of the key, and that they stay', async () => {
    const { json } = await call('GET', '/Slot?_metadata=true&_metadacontext=update')
    const told = (json.fields as { name: string; key: boolean; updatable: boolean }[])
      .filter(({ name }) => ['slo_pallet', 'slo_code', 'slo_lane'].includes(name))
      .map(({ name, key, updatable }) => [name, key, updatable])
    expect(told).toEqual([
      ['slo_pallet', true, false],
      ['slo_code', true, false],
      ['slo_lane', false, true],
    ])
  })
}
