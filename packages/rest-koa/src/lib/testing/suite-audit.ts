import { createPrincipal, systemPrincipal, createRights, defineObject } from '@steward/rest-core'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import { createCaller } from './caller.js'
import type { CallService } from './caller.js'
import type { RunningService, StartService } from './running-service.js'
import { serve } from './serve.js'
import type { TestServer } from './serve.js'

const Account = defineObject({
  name: 'Account',
  table: 'audit_account',
  audit: true,
  fields: {
    acc_code: { type: 'string', length: 20, key: true },
    acc_balance: { type: 'decimal', precision: 30, scale: 4 },
    acc_since: { type: 'date' },
    acc_open: { type: 'boolean' },
    acc_data: { type: 'object' },
    acc_pin: { type: 'password' },
  },
})
const Booking = defineObject({
  name: 'Booking',
  table: 'audit_booking',
  audit: true,
  fields: {
    bkg_text: { type: 'string', length: 100 },
    bkg_account_id: { type: 'reference', object: 'Account', display: ['acc_code'], onDelete: 'cascade' },
    bkg_other_id: { type: 'reference', object: 'Account', display: ['acc_code'], onDelete: 'setNull' },
  },
})

/** The audit trail, the same on every store. */
export function testAudit(startService: StartService): void {
  let running: RunningService
  let service: BusinessObjects
  let server: TestServer
  let call: CallService
  const boss = systemPrincipal({ login: 'boss' })
  let user: Principal = boss

  beforeAll(async () => {
    running = await startService([...systemObjects, Account, Booking])
    service = running.service
    const app = new Koa()
    app.silent = true
    app.use(restRouter(service, { authenticate: () => user }).routes())
    server = await serve(app)
    call = createCaller(`${server.url}/api/rest`, null)
  })
  afterAll(async () => {
    await server?.close()
    await running?.close()
  })

  async function trailOf(object: string, id: string) {
    const { json } = await call('GET', `/AuditEntry?aud_object=${object}&aud_row_id=${id}&_order=row_id`)
    return (json as Record<string, unknown>[]).map(({ aud_action: action, aud_changes: changes }) => ({
      action,
      changes,
    }))
  }

  it('records who changed what, in the values that the service answers', async () => {
    const { row_id: id } = (
      await call('POST', '/Account', {
        json: {
          acc_code: 'A1',
          acc_balance: '12345678901234567890.50',
          acc_since: '2026-01-31',
          acc_data: { b: [1, 'x'], a: null },
          acc_pin: '1234',
        },
      })
    ).json
    await call('PUT', `/Account/${id}`, {
      json: { acc_balance: '12345678901234567890.5', acc_open: true, acc_data: { b: [2], a: null }, acc_since: '' },
    })
    await call('DELETE', `/Account/${id}`)
    expect(await trailOf('Account', id)).toEqual([
      {
        action: 'create',
        changes: {
          acc_code: [null, 'A1'],
          acc_balance: [null, '12345678901234567890.5'],
          acc_since: [null, '2026-01-31'],
          acc_data: [null, { b: [1, 'x'], a: null }],
          acc_pin: [null, '***'],
        },
      },
      {
        action: 'update',
        changes: {
          acc_since: ['2026-01-31', ''],
          acc_open: [false, true],
          acc_data: [
            { b: [1, 'x'], a: null },
            { b: [2], a: null },
          ],
        },
      },
      {
        action: 'delete',
        changes: {
          acc_code: ['A1', null],
          acc_balance: ['12345678901234567890.5', null],
          acc_open: [true, null],
          acc_data: [{ b: [2], a: null }, null],
        },
      },
    ])
    const [entry] = (await call('GET', `/AuditEntry?aud_row_id=${id}&_fields=aud_login,aud_dt`)).json
    expect(entry).toMatchObject({
      aud_login: 'boss',
      aud_dt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    })
  })

  it('records rows that go or change with another one', async () => {
    const account = (await call('POST', '/Account', { json: { acc_code: 'A2' } })).json.row_id
    const own = (await call('POST', '/Booking', { json: { bkg_text: 'own', bkg_account_id: account } })).json.row_id
    const other = (await call('POST', '/Booking', { json: { bkg_text: 'other', bkg_other_id: account } })).json.row_id
    expect((await call('DELETE', `/Account/${account}`)).status).toBe(200)
    expect((await trailOf('Booking', own)).at(-1)).toEqual({
      action: 'delete',
      changes: { bkg_text: ['own', null], bkg_account_id: [account, null] },
    })
    expect((await trailOf('Booking', other)).at(-1)).toEqual({
      action: 'update',
      changes: { bkg_other_id: [account, ''] },
    })
    expect((await call('GET', `/Booking/${other}`)).json.bkg_other_id).toBe('')
  })

  it('records nothing that was undone', async () => {
    const before = (await call('GET', '/AuditEntry?_count=true')).json.count
    await expect(
      service.transaction(async (inside) => {
        await inside.create(boss, 'Account', { acc_code: 'undone' })
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await call('POST', '/Account', { json: { acc_code: 'twice' } })
    expect((await call('POST', '/Account', { json: { acc_code: 'twice' } })).status).toBe(409)
    expect((await call('POST', '/Account', { json: { acc_code: 'x'.repeat(50) } })).status).toBe(400)
    expect((await call('GET', '/AuditEntry?_count=true')).json.count).toBe(before + 1)
  })

  it('is read-only for all, and shown to users with a grant, without what is hidden', async () => {
    const id = (await call('POST', '/Account', { json: { acc_code: 'A3', acc_balance: 5 } })).json.row_id
    const [{ row_id: entry }] = (await call('GET', `/AuditEntry?aud_object=Account&aud_row_id=${id}`)).json
    expect((await call('PUT', `/AuditEntry/${entry}`, { json: { aud_login: 'eve' } })).status).toBe(403)
    expect((await call('DELETE', `/AuditEntry/${entry}`)).status).toBe(403)
    const rights = createRights(
      service.model,
      [
        { object: 'AuditEntry', letters: 'R' },
        { object: 'Account', letters: 'R', hidden: ['acc_balance'] },
      ],
      {},
    )
    try {
      user = createPrincipal({ login: 'eve', rights })
      expect(await trailOf('Account', id)).toEqual([{ action: 'create', changes: { acc_code: [null, 'A3'] } }])
      expect((await call('GET', '/AuditEntry?aud_object=Booking')).json).toEqual([])
      expect((await call('GET', '/AuditEntry?aud_changes=x')).status).toBe(400)
      user = createPrincipal({ login: 'nil', rights: createRights(service.model, [], {}) })
      expect((await call('GET', `/AuditEntry/${entry}`)).status).toBe(403)
    } finally {
      user = boss
    }
  })
}
