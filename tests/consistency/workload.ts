import { expect } from 'vitest'
import type { Answer } from '../../packages/rest-koa/src/lib/testing/caller.js'
import type { Client } from './client.js'
import type { Random } from './random.js'

/** What the answers have promised: all of it must be there in the end, and nothing else. */
export interface Promised {
  readonly accounts: string[]
  /** By code: from, to, amount. */
  readonly transfers: Map<string, readonly [string, string, number]>
  readonly tickets: Set<string>
  /** Row ids, with the number of updates by If-Match that were answered with 200. */
  readonly counters: Map<string, number>
  /** Row id of a kid, with its parent; `undefined`: deleted. */
  readonly kids: Map<string, string | undefined>
  /** Row id, with the content of the document. */
  readonly papers: Map<string, string>
}

export type Operation = () => Promise<void>

const accountCount = 6
const counterCount = 3

/** The records that the workload works on. */
export async function prepare(client: Client): Promise<Promised> {
  const accounts: string[] = []
  const counters = new Map<string, number>()
  const tickets = new Set<string>()
  for (let n = 0; n < accountCount; n++)
    accounts.push(idOf(await client.send('POST', '/Account', { acc_code: `first ${n}` })))
  for (let n = 0; n < counterCount; n++) {
    counters.set(idOf(await client.send('POST', '/Ticket', { tic_code: `counter ${n}` })), 0)
    tickets.add(`counter ${n}`)
  }
  return { accounts, transfers: new Map(), tickets, counters, kids: new Map(), papers: new Map() }
}

function idOf({ status, text, json }: Answer): string {
  expect(status, text).toBe(200)
  return json.row_id as string
}

/** The operations of a workload; each may be called at any time, several at once. */
export function createWorkload(
  client: Client,
  promised: Promised,
  random: Random,
): Readonly<Record<string, Operation>> {
  let number = 0
  const code = (what: string) => `${what} ${number++}`

  async function move(action: string, from: string, to: string): Promise<void> {
    const parameters = { code: code('transfer'), from, to, amount: 1 + random.below(50) }
    expectDone(await client.send('POST', `/Account/action:${action}`, parameters))
    promised.transfers.set(parameters.code, [from, to, parameters.amount])
  }

  function two(): [string, string] {
    const at = random.below(accountCount)
    const other = (at + 1 + random.below(accountCount - 1)) % accountCount
    return [promised.accounts[at] as string, promised.accounts[other] as string]
  }

  return {
    transfer: () => move('transfer', ...two()),

    /** Two that wait for each other, and for no other: the one that is undone succeeds when it is repeated. */
    async cross() {
      const made = await Promise.all([1, 2].map(() => client.send('POST', '/Account', { acc_code: code('account') })))
      const [from = '', to = ''] = made.map(idOf)
      promised.accounts.push(from, to)
      await Promise.all([move('cross', from, to), move('cross', to, from)])
    },

    async ticket() {
      const tic_code = code('ticket')
      idOf(await client.send('POST', '/Ticket', { tic_code }))
      promised.tickets.add(tic_code)
    },

    async sameKey() {
      const tic_code = code('same')
      const answers = await Promise.all([1, 2, 3].map(() => client.send('POST', '/Ticket', { tic_code })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
      promised.tickets.add(tic_code)
    },

    async upsert() {
      const tic_code = `shared ${random.below(3)}`
      idOf(await client.send('PUT', `/Ticket/_key/${encodeURIComponent(tic_code)}`, { tic_note: code('note') }))
      promised.tickets.add(tic_code)
    },

    async count() {
      const [id] = [...promised.counters.keys()].slice(random.below(promised.counters.size)) as [string]
      for (;;) {
        const { json, headers } = await client.send('GET', `/Ticket/${id}`)
        const given = { 'if-match': headers.get('etag') as string }
        const answer = await client.send('PUT', `/Ticket/${id}`, { tic_count: json.tic_count + 1 }, given)
        if (answer.status === 412) continue
        idOf(answer)
        promised.counters.set(id, (promised.counters.get(id) ?? 0) + 1)
        return
      }
    },

    async state() {
      const tic_code = code('state')
      const id = idOf(await client.send('POST', '/Ticket', { tic_code }))
      promised.tickets.add(tic_code)
      const answers = await Promise.all(
        ['a', 'b', 'c'].map((tic_state) => client.send('PUT', `/Ticket/${id}`, { tic_state })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    },

    async batch() {
      const codes = [code('batch'), code('batch'), code('batch')]
      const items = codes.map((tic_code) => ({ action: 'create', values: { tic_code } }))
      expectDone(await client.send('POST', '/Ticket/_batch', items))
      for (const each of codes) promised.tickets.add(each)
      // All or nothing: the second one is there already.
      const again = [{ action: 'create', values: { tic_code: code('never') } }, items[1]]
      expect((await client.send('POST', '/Ticket/_batch', again)).status).toBe(409)
    },

    /** A parent is deleted while some of its kids are moved away, or deleted too. */
    async family() {
      const parents: string[] = []
      for (const par_code of [code('from'), code('to')])
        parents.push(idOf(await client.send('POST', '/Parent', { par_code })))
      const [from = '', to = ''] = parents
      const values = Array.from({ length: 8 }, () => ({ kid_code: code('kid'), kid_parent: from }))
      const made = await client.send(
        'POST',
        '/Kid/_batch',
        values.map((each) => ({ action: 'create', values: each })),
      )
      expectDone(made)
      const kids = made.json.map(({ record }: { record: { row_id: string } }) => record.row_id) as string[]
      for (const kid of kids) promised.kids.set(kid, undefined)
      const moved = [kids[4], kids[7]] as [string, string]
      const [gone, removed, ...moves] = await Promise.all([
        client.send('DELETE', `/Parent/${from}`),
        client.send('DELETE', `/Kid/${kids[6]}`),
        ...moved.map((kid) => client.send('PUT', `/Kid/${kid}`, { kid_parent: to })),
      ])
      expect([gone?.status, gone?.text]).toEqual([200, expect.anything()])
      expect([200, 404]).toContain(removed?.status)
      for (const [at, { status, text }] of moves.entries()) {
        expect([200, 404], text).toContain(status)
        if (status === 200) promised.kids.set(moved[at] as string, to)
      }
    },

    async paper() {
      const file = () => ({ name: 'paper.txt', content: Buffer.from(code('content')).toString('base64') })
      let pap_file = file()
      const id = idOf(await client.send('POST', '/Paper', { pap_code: code('paper'), pap_file }))
      promised.papers.set(id, pap_file.content)
      pap_file = file()
      idOf(await client.send('PUT', `/Paper/${id}`, { pap_file }))
      promised.papers.set(id, pap_file.content)
    },
  }
}

function expectDone({ status, text }: Answer): void {
  expect(status, text).toBe(200)
}
