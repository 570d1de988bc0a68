import { systemPrincipal, defineObject } from '@steward/rest-core'
import type { ActionContext } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answer, CallService } from '../packages/rest-koa/src/lib/testing/caller.js'
import { onEachDatabase, patient } from './databases.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import type { FreshDatabase } from './servers/index.js'

/** Stops a write at a hook until the test lets it continue. */
interface Gate {
  readonly reached: PromiseWithResolvers<void>
  readonly opened: PromiseWithResolvers<void>
}

let gate: Gate | undefined

function closeGate(): Gate {
  return (gate = { reached: Promise.withResolvers(), opened: Promise.withResolvers() })
}

async function pass(): Promise<void> {
  const closed = gate
  gate = undefined
  closed?.reached.resolve()
  await closed?.opened.promise
}

/** Where two transactions meet, each with a lock that the other will want. */
let meeting: PromiseWithResolvers<void> | undefined
let met = 0

async function meet(): Promise<void> {
  met++
  if (met === 2) meeting?.resolve()
  await meeting?.promise
}

const touched = { first: { type: 'string' }, second: { type: 'string' } } as const

/** Changes two records, one after the other. */
async function touch({ service, principal, parameters: { first, second } }: ActionContext): Promise<string> {
  await service.update(principal, 'Counter', String(first), { cnt_note: 'meet' })
  await service.update(principal, 'Counter', String(second), { cnt_note: 'touched' })
  return 'done'
}

const Counter = defineObject({
  name: 'Counter',
  fields: {
    cnt_code: { type: 'string', key: true },
    cnt_value: { type: 'integer', default: 0, readOnly: true },
    cnt_note: { type: 'string' },
    cnt_amount: { type: 'integer', default: 100 },
    cnt_label: { type: 'string', unique: true },
  },
  hooks: {
    async preUpdate({ old, values }) {
      if (values['cnt_note'] === 'wait') await pass()
      if (values['cnt_note'] === 'meet') await old().then(meet)
      if (values['cnt_note'] === 'count') values['cnt_value'] = ((await old())?.['cnt_value'] as number) + 1
    },
  },
  actions: {
    touch: { scope: 'global', parameters: touched, run: touch },
    /** Reads two records and writes what it read: lost, if others did the same in between. */
    transfer: {
      scope: 'global',
      parameters: touched,
      repeatable: true,
      async run({ service, principal, parameters }) {
        const accounts = [parameters.first, parameters.second]
        const values = new Map<string, number>()
        for (const id of accounts.toSorted((a, b) => Number(a) - Number(b))) {
          const record = await service.get(principal, 'Counter', id, { lock: true })
          values.set(id, record['cnt_amount'] as number)
        }
        for (const [at, id] of accounts.entries())
          await service.update(principal, 'Counter', id, { cnt_amount: (values.get(id) ?? 0) + (at ? 1 : -1) })
        return 'done'
      },
    },
    touchAgain: { scope: 'global', parameters: touched, repeatable: true, run: touch },
  },
})

/** A tree whose changes are written down, so that the service itself deletes what goes with a node. */
const Node = defineObject({
  name: 'Node',
  audit: true,
  fields: {
    nod_code: { type: 'string', key: true },
    nod_parent: { type: 'reference', object: 'Node', onDelete: 'cascade' },
  },
  hooks: {
    async preDelete({ record }) {
      if (record.nod_code.startsWith('wait')) await pass()
    },
  },
})

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted()
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

onEachDatabase((fresh, name) => {
  let database: FreshDatabase
  let servers: ServedObjects[]
  let keys = 0

  beforeAll(async () => {
    database = await fresh()
    // Two of them, as behind a load balancer: nothing in the memory of one may be what makes it right.
    servers = []
    for (let n = 0; n < 2; n++)
      servers.push(await serveObjects([...systemObjects, Counter, Node], patient(database.url)))
  })

  afterAll(async () => {
    for (const server of servers) await server.close()
    await database.drop()
  })

  beforeEach(() => {
    gate = undefined
  })

  /** One of the servers, in turn. */
  const call = (n: number): CallService => (servers[n % 2] as ServedObjects).call

  async function create(): Promise<{ row_id: string; tag: string; path: string }> {
    const { status, json, headers } = await call(0)('POST', '/Counter', { json: { cnt_code: `key ${keys++}` } })
    expect(status).toBe(200)
    return { row_id: json.row_id, tag: headers.get('etag') as string, path: `/Counter/${json.row_id}` }
  }

  describe('creates at once', () => {
    it('with the same functional key: exactly one wins', async () => {
      const rounds = times(10, (key) =>
        Promise.all(times(8, (n) => call(n)('POST', '/Counter', { json: { cnt_code: `same ${key}` } }))),
      )
      for (const answers of await Promise.all(rounds)) {
        expect(statuses(answers)).toEqual([200, ...times(7, () => 409)])
        for (const { json } of answers.filter(({ status }) => status === 409)) {
          expect(json).toMatchObject({ code: 'ERR_CONFLICT', messages: [{ code: 'ERR_USERKEY', field: 'cnt_code' }] })
        }
      }
      expect((await call(0)('GET', '/Counter?cnt_code=same*&_count=true')).json.count).toBe(10)
    })

    it('with different keys: all win', async () => {
      const answers = await Promise.all(
        times(40, (n) => call(n)('POST', '/Counter', { json: { cnt_code: `own ${n}` } })),
      )
      expect(statuses(answers)).toEqual(times(40, () => 200))
      expect(new Set(answers.map(({ json }) => json.row_id)).size).toBe(40)
    })
  })

  describe('updates at once', () => {
    it('to the same unique value: exactly one wins', async () => {
      const rows = await Promise.all(times(8, create))
      const answers = await Promise.all(
        rows.map(({ path }, n) => call(n)('PUT', path, { json: { cnt_label: 'the one' } })),
      )
      expect(statuses(answers)).toEqual([200, ...times(7, () => 409)])
    })

    it('with the same If-Match: exactly one wins, each time', async () => {
      const { path, tag } = await create()
      let known = tag
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(
          times(8, (n) =>
            call(n)('PUT', path, { json: { cnt_note: `${round} ${n}` }, headers: { 'if-match': known } }),
          ),
        )
        expect(statuses(answers)).toEqual([200, ...times(7, () => 412)])
        const winner = answers.find(({ status }) => status === 200) as Answer
        const now = await call(round)('GET', path)
        expect(now.json).toEqual(winner.json)
        expect(now.headers.get('etag')).toBe(winner.headers.get('etag'))
        known = winner.headers.get('etag') as string
      }
    })

    it('with If-Match against a delete with it: exactly one wins', async () => {
      for (let round = 0; round < 5; round++) {
        const { path, tag } = await create()
        const headers = { 'if-match': tag }
        const answers = await Promise.all([
          ...times(3, (n) => call(n)('PUT', path, { json: { cnt_note: `${n}` }, headers })),
          call(round)('DELETE', path, { headers }),
        ])
        const [winner, ...losers] = answers.toSorted((a, b) => a.status - b.status)
        expect(winner?.status).toBe(200)
        for (const { status } of losers) expect([404, 412]).toContain(status)
      }
    })

    it('that read the old record first lose no update', async () => {
      const { path } = await create()
      const answers = await Promise.all(times(30, (n) => call(n)('PUT', path, { json: { cnt_note: 'count' } })))
      expect(statuses(answers)).toEqual(times(30, () => 200))
      const seen = answers.map(({ json }) => json.cnt_value as number).toSorted((a, b) => a - b)
      expect(seen).toEqual(times(30, (n) => n + 1))
      expect((await call(0)('GET', path)).json.cnt_value).toBe(30)
    })
  })

  describe('transactions that wait for each other', () => {
    /** Two requests that change the same two records, each in its own order. */
    async function cross(send: (n: number, first: string, second: string) => Promise<Answer>): Promise<Answer[]> {
      const [one, two] = [await create(), await create()]
      met = 0
      // On SQLite writers wait for each other at once, and never meet.
      meeting = name === 'sqlite' ? undefined : Promise.withResolvers()
      return Promise.all([send(0, one.row_id, two.row_id), send(1, two.row_id, one.row_id)])
    }
    const batch = (n: number, first: string, second: string, headers: Record<string, string> = {}) =>
      call(n)('POST', '/Counter/_batch', {
        json: [
          { action: 'update', row_id: first, values: { cnt_note: 'meet' } },
          { action: 'update', row_id: second, values: { cnt_note: `by ${n}` } },
        ],
        headers,
      })
    const act = (action: string) => (n: number, first: string, second: string) =>
      call(n)('POST', `/Counter/action:${action}`, { json: { first, second } })
    /** One that is repeated quickly may meet the other several times. */
    const expectRepeated = () => (name === 'sqlite' ? expect(met).toBe(2) : expect(met).toBeGreaterThan(2))

    it('are repeated by the service, so that both succeed', async () => {
      const answers = await cross(batch)
      expect(statuses(answers), answers.map(({ text }) => text).join()).toEqual([200, 200])
      expectRepeated()
    })

    it('are repeated with their Idempotency-Key, and carried out once', async () => {
      const keyed = (n: number, first: string, second: string) =>
        batch(n, first, second, { 'idempotency-key': `cross ${first} ${n}`.replaceAll(' ', '-') })
      const sent: [number, string, string][] = []
      const answers = await cross((...given) => keyed(...(sent.push(given), given)))
      expect(statuses(answers)).toEqual([200, 200])
      expectRepeated()
      const carriedOut = met
      for (const [at, given] of sent.entries()) {
        const again = await keyed(...given)
        expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([answers[at]?.text, 'true'])
      }
      expect(met).toBe(carriedOut)
    })

    it('are repeated when they are actions that say so', async () => {
      expect(statuses(await cross(act('touchAgain')))).toEqual([200, 200])
      expectRepeated()
    })

    it('are not repeated when they are other actions: one succeeds, the other may be sent again', async () => {
      const answers = await cross(act('touch'))
      expect(statuses(answers)).toEqual(name === 'sqlite' ? [200, 200] : [200, 503])
      expect(met).toBe(2)
      const failures = servers.flatMap((server) => server.failures.splice(0))
      expect(failures).toMatchObject(name === 'sqlite' ? [] : [{ cause: { code: 'busy', repeatable: true } }])
    })
  })

  describe('a record that is locked and read', () => {
    it('by actions: nothing is lost of what others write at the same time', async () => {
      const accounts = await Promise.all(times(3, create))
      const id = (n: number) => accounts[n % 3]?.row_id
      const answers = await Promise.all(
        times(30, (n) =>
          call(n)('POST', '/Counter/action:transfer', { json: { first: id(n), second: id(n + 1 + (n % 2)) } }),
        ),
      )
      expect(statuses(answers)).toEqual(times(30, () => 200))
      const amounts = await Promise.all(accounts.map(async ({ path }) => (await call(0)('GET', path)).json.cnt_amount))
      expect(amounts).toEqual([100, 100, 100])
    })

    it('is refused outside of a transaction', async () => {
      const { row_id } = await create()
      const { service } = servers[0] as ServedObjects
      const ann = systemPrincipal({ login: 'ann' })
      const attempt = service.get(ann, 'Counter', row_id, { lock: true })
      await expect(attempt).rejects.toMatchObject({ code: 'ERR_INTERNAL', message: /in a transaction only/ })
      const gone = service.transaction((inside) => inside.get(ann, 'Counter', '999999', { lock: true }))
      await expect(gone).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    })
  })

  describe('a row deleted meanwhile', () => {
    it('is not found by an update that started before, nor by another delete', async () => {
      const { path } = await create()
      const { reached, opened } = closeGate()
      const update = call(0)('PUT', path, { json: { cnt_note: 'wait' } })
      await reached.promise
      expect((await call(1)('DELETE', path)).status).toBe(200)
      expect((await call(0)('DELETE', path)).status).toBe(404)
      opened.resolve()
      const { status, json } = await update
      expect([status, json.code]).toEqual([404, 'ERR_NOT_FOUND'])
      expect((await call(0)('GET', path)).status).toBe(404)
    })

    it('is deleted once, however many try, and not updated afterwards', async () => {
      const { path } = await create()
      const [deletes, updates] = await Promise.all([
        Promise.all(times(6, (n) => call(n)('DELETE', path))),
        Promise.all(times(6, (n) => call(n + 1)('PUT', path, { json: { cnt_note: `${n}` } }))),
      ])
      expect(statuses(deletes)).toEqual([200, ...times(5, () => 404)])
      for (const { status } of updates) expect([200, 404]).toContain(status)
      expect((await call(0)('GET', path)).status).toBe(404)
    })
  })

  describe('a record that goes with another one', () => {
    async function createNode(nod_code: string, nod_parent = ''): Promise<string> {
      const { status, json, text } = await call(0)('POST', '/Node', { json: { nod_code, nod_parent } })
      expect(status, text).toBe(200)
      return json.row_id
    }

    /** Deletes a node, and does something else when one child is about to be deleted and the next one not yet. */
    async function deleteMeanwhile(
      code: string,
      depth: number,
      other: (leaf: string, place: string) => Promise<Answer>,
    ) {
      const top = await createNode(`top ${code}`)
      const place = await createNode(`place ${code}`)
      let parent = top
      for (let level = 0; level < depth; level++) parent = await createNode(`${code} ${level}`, parent)
      await createNode(`wait ${code}`, parent)
      const leaf = await createNode(`leaf ${code}`, parent)
      const { reached, opened } = closeGate()
      const deleting = call(0)('DELETE', `/Node/${top}`)
      await reached.promise
      const doing = other(leaf, place)
      // There, writers wait for each other.
      if (name !== 'sqlite') await doing
      opened.resolve()
      const [deleted, done] = await Promise.all([deleting, doing])
      return { deleted, done, place, found: await call(1)('GET', `/Node/${leaf}`) }
    }

    it.each([0, 1])('stays when it was moved away meanwhile (%s levels between)', async (depth) => {
      const { deleted, done, place, found } = await deleteMeanwhile(`move ${depth}`, depth, (leaf, target) =>
        call(1)('PUT', `/Node/${leaf}`, { json: { nod_parent: target } }),
      )
      expect(deleted.status, deleted.text).toBe(200)
      const moved = [200, 200, place]
      expect([done.status, found.status, found.json.nod_parent]).toEqual(
        name === 'sqlite' ? [404, 404, undefined] : moved,
      )
    })

    it.each([0, 1])('may be deleted by others meanwhile (%s levels between)', async (depth) => {
      const { deleted, done, found } = await deleteMeanwhile(`delete ${depth}`, depth, (leaf) =>
        call(1)('DELETE', `/Node/${leaf}`),
      )
      expect(deleted.status, deleted.text).toBe(200)
      expect([done.status, found.status]).toEqual([name === 'sqlite' ? 404 : 200, 404])
    })
  })

  it('none of this failed inside', () => {
    expect(servers.flatMap(({ failures }) => failures)).toEqual([])
  })
})
