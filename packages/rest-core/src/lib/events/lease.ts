import { StoreError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model } from '../model/model.js'
import type { ObjectStore, StoreSession } from '../store.js'

export interface LeaseOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  readonly name: string
}

/** What the row of a lease says. */
export interface LeaseState {
  /** Empty: no owner. */
  readonly owner: string
  /** Changes while the owner lives. */
  readonly beat: number
  /** Grows with each change of the owner: what was started in an older term must not be written any more. */
  readonly term: number
  readonly number: number
}

/**
 * A row that processes on the same database share: a lock, a claim, and a number. Claims need no clock that processes
 * agree on: who wants one sees whether the beat of its owner changes (`createHold`).
 */
export interface Lease {
  /** Locks the row until the end of the transaction. */
  lock(session: StoreSession): Promise<LeaseState>
  read(): Promise<LeaseState>
  readNumber(): Promise<number>
  writeNumber(session: StoreSession, number: number): Promise<void>
  /** Takes it when it is still as it was seen. @returns the new term; `undefined`: it changed meanwhile. */
  take(owner: string, seen: LeaseState): Promise<number | undefined>
  /** Shows that the owner lives. @returns whether the owner still has it. */
  beat(owner: string, term: number, beat: number): Promise<boolean>
  release(owner: string): Promise<void>
}

export function createLease({ model, store, name }: LeaseOptions): Lease {
  const object = model.object('Lease')
  const select = object.select(['lse_owner', 'lse_beat', 'lse_term', 'lse_number'])
  const none = object.select([])
  let id: Promise<string> | undefined

  return {
    lock: async (session) => stateOf(await session.get(object, await rowId(), { select, lock: true })),
    read,
    readNumber: async () => (await read()).number,
    async writeNumber(session, number) {
      await session.update(object, await rowId(), { lse_number: number }, { select: none })
    },
    async take(owner, seen) {
      const term = seen.term + 1
      const where: Filter = {
        op: 'and',
        terms: [unchanged('lse_owner', seen.owner), unchanged('lse_beat', seen.beat), unchanged('lse_term', seen.term)],
      }
      const values = { lse_owner: owner, lse_beat: 1, lse_term: term }
      const taken = await store.update(object, await rowId(), values, { select: none, where })
      return taken && term
    },
    async beat(owner, term, beat) {
      const where: Filter = {
        op: 'and',
        terms: [
          { op: '=', field: 'lse_owner', value: owner },
          { op: '=', field: 'lse_term', value: term },
        ],
      }
      return (await store.update(object, await rowId(), { lse_beat: beat }, { select: none, where })) !== undefined
    },
    async release(owner) {
      const where: Filter = { op: '=', field: 'lse_owner', value: owner }
      await store.update(object, await rowId(), { lse_owner: '' }, { select: none, where })
    },
  }

  async function read(): Promise<LeaseState> {
    return stateOf(await store.get(object, await rowId(), { select }))
  }

  /** Never asked for inside a transaction first: the row must be there for all. */
  function rowId(): Promise<string> {
    if (!id) {
      id = find().then((found) => found ?? make())
      id.catch(() => (id = undefined))
    }
    return id
  }

  async function find(): Promise<string | undefined> {
    const where: Filter = { op: '=', field: 'lse_name', value: name }
    for await (const [row] of store.search(object, { select: none, where, order: object.order, limit: 1 }))
      return row?.row_id
    return undefined
  }

  async function make(): Promise<string> {
    try {
      return (await store.insert(object, { lse_name: name }, none)).row_id
    } catch (error) {
      // Another process was first.
      const found = StoreError.is(error) && error.code === 'unique' ? await find() : undefined
      if (found === undefined) throw error
      return found
    }
  }
}

function stateOf(row: BusinessRecord | undefined): LeaseState {
  const numberOf = (name: string): number => (row?.[name] as number | null | undefined) ?? 0
  return {
    owner: (row?.['lse_owner'] as string | undefined) ?? '',
    beat: numberOf('lse_beat'),
    term: numberOf('lse_term'),
    number: numberOf('lse_number'),
  }
}

/** Empty values are read as 0 and as the empty text. */
export function unchanged(field: string, value: string | number): Filter {
  const same: Filter = { op: '=', field, value }
  return value === 0 || value === '' ? { op: 'or', terms: [same, { op: 'null', field }] } : same
}
