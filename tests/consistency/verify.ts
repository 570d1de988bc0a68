import { expect } from 'vitest'
import type { Client } from './client.js'
import type { Promised } from './workload.js'

type Row = Readonly<Record<string, string | number>>

/** Compares what is there with what was promised, and with itself. */
export async function verify(client: Client, promised: Promised): Promise<void> {
  const all = async (object: string) => (await client.send('GET', `/${object}`)).json as Row[]
  const { accounts, transfers, tickets, counters, kids, papers } = promised

  const moved = await all('Transfer')
  expect(moved.map((row) => [row['trf_code'], [row['trf_from'], row['trf_to'], row['trf_amount']]]).toSorted()).toEqual(
    [...transfers].toSorted(),
  )
  const balances = new Map(accounts.map((id) => [id, 1000]))
  for (const [from, to, amount] of transfers.values()) {
    balances.set(from, (balances.get(from) ?? 0) - amount)
    balances.set(to, (balances.get(to) ?? 0) + amount)
  }
  expect(new Map((await all('Account')).map((row) => [row['row_id'], row['acc_balance']]))).toEqual(balances)

  const found = await all('Ticket')
  expect(found.map((row) => row['tic_code']).toSorted()).toEqual([...tickets].toSorted())
  for (const [id, count] of counters)
    expect(found.find((row) => row['row_id'] === id)).toMatchObject({ tic_count: count })

  const alive = [...kids].filter(([, parent]) => parent !== undefined)
  expect((await all('Kid')).map((row) => [row['row_id'], row['kid_parent']]).toSorted()).toEqual(alive.toSorted())

  const held = await all('Paper')
  expect(held.map((row) => row['row_id']).toSorted()).toEqual([...papers.keys()].toSorted())
  for (const [id, content] of papers) {
    const { status, text } = await client.send('GET', `/Paper/${id}/_document/pap_file`)
    expect([id, status, text]).toEqual([id, 200, Buffer.from(content, 'base64').toString()])
  }

  await verifyChanges(await all('AuditEntry'), await readEvents(all), counters)
}

/** Every change is in the audit trail once, and an event once; events have numbers without gaps. */
async function verifyChanges(
  entries: readonly Row[],
  events: readonly Row[],
  counters: ReadonlyMap<string, number>,
): Promise<void> {
  expect(events.map((row) => row['evt_number']).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    events.map((_, at) => at + 1),
  )
  const told = events.map((row) => `${row['evt_object']} ${row['evt_row_id']} ${row['evt_action']}`)
  const audited = entries.map((row) => `${row['aud_object']} ${row['aud_row_id']} ${row['aud_action']}`)
  expect(told.toSorted()).toEqual(audited.toSorted())
  for (const [id, count] of counters)
    expect(audited.filter((text) => text === `Ticket ${id} update`)).toHaveLength(count)
}

/** Numbers are given a moment after the commit. */
async function readEvents(all: (object: string) => Promise<Row[]>): Promise<Row[]> {
  let events: Row[] = []
  const unnumbered = async () => (events = await all('Event')).filter((row) => row['evt_number'] === null).length
  await expect.poll(unnumbered).toBe(0)
  return events
}
