import { StoreError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { Model } from '../model/model.js'
import type { ObjectStore, StoreSession } from '../store.js'

export interface LeaseOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  readonly name: string
}

/** A row that processes on the same database share: a lock, a claim for some time, and a number. */
export interface Lease {
  /** Locks the row until the end of the transaction. @returns its number. */
  lock(session: StoreSession): Promise<number>
  readNumber(): Promise<number>
  writeNumber(session: StoreSession, number: number): Promise<void>
  /**
   * Takes it, or keeps what the owner has already, until a time in ms since the Unix epoch. Clocks of processes may
   * differ by less than the time for which it is taken.
   *
   * @returns whether the owner has it now.
   */
  claim(owner: string, until: number): Promise<boolean>
  release(owner: string): Promise<void>
}

export function createLease({ model, store, name }: LeaseOptions): Lease {
  const object = model.object('Lease')
  const select = object.select(['lse_number'])
  const none = object.select([])
  let id: Promise<string> | undefined

  return {
    async lock(session) {
      const row = await session.get(object, await rowId(), { select, lock: true })
      return (row?.['lse_number'] as number | null) ?? 0
    },
    async readNumber() {
      const row = await store.get(object, await rowId(), { select })
      return (row?.['lse_number'] as number | null) ?? 0
    },
    async writeNumber(session, number) {
      await session.update(object, await rowId(), { lse_number: number }, { select: none })
    },
    async claim(owner, until) {
      const where: Filter = {
        op: 'or',
        terms: [
          { op: '=', field: 'lse_owner', value: owner },
          { op: 'null', field: 'lse_owner' },
          { op: '<', field: 'lse_until', value: Date.now() },
        ],
      }
      return (
        (await store.update(object, await rowId(), { lse_owner: owner, lse_until: until }, { select: none, where })) !==
        undefined
      )
    },
    async release(owner) {
      const where: Filter = { op: '=', field: 'lse_owner', value: owner }
      await store.update(object, await rowId(), { lse_owner: '', lse_until: null }, { select: none, where })
    },
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
