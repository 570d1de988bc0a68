import { randomUUID } from 'node:crypto'
import { createBusinessObjects } from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import { describe, expect, it } from 'vitest'
import type { Answer } from './caller.js'
import type { Suite } from './suite.js'

/** Requests that are sent again and carried out once. */
export function testIdempotency(suite: Suite): void {
  let number = 0
  const fresh = () => ({ ast_site: 'once', ast_number: ++number })

  function send(key: string, method: string, path: string, json?: unknown): Promise<Answer> {
    return suite.call(method, path, { headers: { 'idempotency-key': key }, ...(json !== undefined && { json }) })
  }
  const count = async () => (await suite.call('GET', '/Asset?_count=true&ast_site=once')).json.count as number
  const entries = (key: string) =>
    suite.store.count(suite.service.model.object('IdempotencyKey'), { op: '=', field: 'idk_key', value: key })

  /** Sends a request twice; the second answer must be the first one. */
  async function twice(method: string, path: string, json?: unknown): Promise<Answer> {
    const key = randomUUID()
    const first = await send(key, method, path, json)
    expect(first.status, first.text).toBe(200)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const again = await send(key, method, path, json)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    for (const name of ['etag', 'location', 'content-type', 'cache-control'])
      expect(again.headers.get(name), name).toBe(first.headers.get(name))
    return first
  }

  it('every write is carried out once, and its answer given again', async () => {
    const changes = suite.changes.length
    const { json, headers } = await twice('POST', '/Asset', fresh())
    expect(headers.get('location')).toBe(`/api/rest/Asset/${json.row_id}`)
    await twice('PUT', `/Asset/${json.row_id}`, { ast_count: 1 })
    await twice('POST', `/Asset/${json.row_id}?_method=PUT`, { ast_count: 2 })
    await twice('PUT', `/Asset/_key/once,${json.ast_number}`, { ast_count: 3 })
    await twice('POST', '/Asset/_batch', [{ action: 'update', row_id: json.row_id, values: { ast_count: 4 } }])
    await twice('DELETE', `/Asset/_key/once,${json.ast_number}`)
    expect((await suite.call('GET', `/Asset/${json.row_id}`)).status).toBe(404)
    expect(suite.changes).toHaveLength(changes + 6)
  })

  it('an action is run once, unless it continues in the background', async () => {
    const { json } = await suite.call('POST', '/Book', { json: { boo_title: 'Once', boo_price: 10 } })
    const first = await twice('POST', `/Book/${json.row_id}/action:reprice?percent=10`)
    expect(first.json.result.price).toBe(11)
    const dry = await send(randomUUID(), 'POST', `/Book/${json.row_id}/action:reprice?percent=10&why=dry&_dryrun=true`)
    expect([dry.json.result.price, dry.headers.get('x-dry-run')]).toEqual([12.1, 'true'])
    expect((await suite.call('GET', `/Book/${json.row_id}`)).json.boo_price).toBe(11)
    const { status, json: answer } = await send(randomUUID(), 'POST', `/Book/${json.row_id}/action:back`)
    expect([status, answer.error]).toEqual([400, expect.stringMatching(/background/)])
  })

  it('at the same time from many sides is carried out once; the others wait for the answer', async () => {
    const before = await count()
    const key = randomUUID()
    const values = fresh()
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(key, 'POST', '/Asset', values)))
    expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(Array(6).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(5)
    expect(await count()).toBe(before + 1)
  })

  it('a key is good for one request only', async () => {
    const key = randomUUID()
    const values = fresh()
    await send(key, 'POST', '/Asset', values)
    for (const [method, path, json] of [
      ['POST', '/Asset', { ...values, ast_count: 1 }],
      ['POST', '/Asset?_fields=ast_site', values],
      ['PUT', '/Asset/_key/once,1', values],
    ] as const) {
      const { status, json: answer } = await send(key, method, path, json)
      expect([status, answer.code, answer.error]).toEqual([
        409,
        'ERR_CONFLICT',
        expect.stringMatching(/another request/),
      ])
    }
  })

  it('keys of different users have nothing to do with each other', async () => {
    const key = randomUUID()
    await send(key, 'POST', '/Asset', fresh())
    const other = await suite.call('POST', '/Movie', { json: {}, user: 'rob', headers: { 'idempotency-key': key } })
    expect(other.status).toBe(403)
  })

  it('a refused request leaves nothing, and may be sent again', async () => {
    const key = randomUUID()
    const values = fresh()
    await suite.call('POST', '/Asset', { json: { ...values, ast_note: 'there' } })
    expect((await send(key, 'POST', '/Asset', values)).status).toBe(409)
    expect(await entries(key)).toBe(0)
    await suite.call('DELETE', `/Asset/_key/once,${values.ast_number}`)
    const again = await send(key, 'POST', '/Asset', values)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
  })

  it('a request without effect on others keeps no key: dry runs and reads', async () => {
    const key = randomUUID()
    const before = await count()
    for (let time = 0; time < 2; time++) {
      const { status, headers } = await send(key, 'POST', '/Asset?_dryrun=true', fresh())
      expect([status, headers.get('idempotency-replayed')]).toEqual([200, null])
    }
    expect((await send(key, 'GET', '/Asset?ast_site=once')).status).toBe(200)
    expect([await entries(key), await count()]).toEqual([0, before])
  })

  it.each([['a b'], ['é'], ['x'.repeat(256)], ['']])('refuses the key "%s"', async (key) => {
    const { status, json } = await send(key, 'POST', '/Asset', fresh())
    expect([status, json.error]).toEqual([400, expect.stringMatching(/1 to 255 visible ASCII/)])
  })

  it('refuses a batch that is not a single transaction', async () => {
    const { status, json } = await send(randomUUID(), 'POST', '/Asset/_batch?_atomic=false', [])
    expect([status, json.error]).toEqual([400, expect.stringMatching(/_atomic=false/)])
  })

  it('shows no answers to those who may read the keys', async () => {
    await twice('POST', '/Asset', fresh())
    const { json } = await suite.call('GET', '/IdempotencyKey')
    expect(Object.keys(json[0])).toEqual(['row_id', 'idk_user', 'idk_key', 'idk_status', 'idk_expires'])
    expect((await suite.call('DELETE', `/IdempotencyKey/${json[0].row_id}`)).status).toBe(403)
    expect((await suite.call('GET', '/IdempotencyKey', { user: 'rob' })).status).toBe(403)
  })

  describe('in another process', () => {
    const restarted = (clock?: () => Date): BusinessObjects =>
      createBusinessObjects({ model: suite.service.model, store: sameStore(), documents: suite.documents, clock })
    /** The same data in another object, as another process has it. */
    const sameStore = () =>
      new Proxy(suite.store, {
        get(store, name) {
          const member: unknown = Reflect.get(store, name, store)
          return typeof member === 'function' ? (member.bind(store) as unknown) : member
        },
      })
    const request = (key: string) => ({ key, fingerprint: 'same' })
    const answer = (body: string) => async () => ({ status: 200, headers: {}, body })

    it('many at the same time carry it out once; the database lets the others wait', async () => {
      const key = randomUUID()
      const values = fresh()
      const results = await Promise.all(
        Array.from({ length: 4 }, () =>
          restarted().once(suite.ann, request(key), async (inside) => {
            const record = await inside.create(suite.ann, 'Asset', values)
            return { status: 200, headers: {}, body: record.row_id }
          }),
        ),
      )
      expect(new Set(results.map(({ answer: { body } }) => body)).size).toBe(1)
      expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1)
    })

    it('a repeat finds the answer, until it has ended', async () => {
      const key = randomUUID()
      await suite.service.once(suite.ann, request(key), answer('first'))
      expect(await restarted().once(suite.ann, request(key), answer('second'))).toMatchObject({
        replayed: true,
        answer: { body: 'first' },
      })
      const later = restarted(() => new Date(Date.now() + 25 * 3_600_000))
      expect(await later.once(suite.ann, request(key), answer('third'))).toMatchObject({
        replayed: false,
        answer: { body: 'third' },
      })
      expect(await entries(key)).toBe(1)
    })

    it('a crash before the end leaves neither the write nor its key', async () => {
      const key = randomUUID()
      const values = fresh()
      const crash = restarted().once(suite.ann, request(key), async (inside) => {
        await inside.create(suite.ann, 'Asset', values)
        throw new Error('crashed')
      })
      await expect(crash).rejects.toThrow('crashed')
      expect(await entries(key)).toBe(0)
      expect((await suite.call('GET', `/Asset/_key/once,${values.ast_number}`)).status).toBe(404)
    })

    it('entries that have ended go with new ones', async () => {
      const keys = suite.service.model.object('IdempotencyKey')
      for (let time = 0; time < 4; time++)
        await restarted(() => new Date(0)).once(suite.ann, request(randomUUID()), answer('old'))
      const ended = () => suite.store.count(keys, { op: '<', field: 'idk_expires', value: Date.now() })
      const before = await ended()
      for (let time = 0; time < 4; time++) await suite.service.once(suite.ann, request(randomUUID()), answer('new'))
      expect(before).toBe(4)
      expect(await ended()).toBe(0)
    })
  })
}
