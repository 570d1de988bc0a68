import { createLease } from '../events/lease.js'
import type { Filter } from '../filter/filter.js'
import type { Model, ObjectModel } from '../model/model.js'
import type { ObjectStore, StoreSession } from '../store.js'

/** Name of the `Lease` row whose number is the version. */
const name = 'system-objects'

/** Where a store that has notices announces a new version. */
const channel = 'steward-system-objects'

const cached = new Set(['User', 'Group', 'Responsibility', 'Grant', 'SystemParam', 'RevokedToken'])

/** Whether processes keep in memory what they read of this object, so that its changes raise the shared version. */
export function isShared(model: Model, object: ObjectModel): boolean {
  return cached.has(object.name) && model.objects.has('Lease')
}

/**
 * Raises the version in the transaction of a change, for all processes on the database to see when it is committed. Call it
 * last: until the end of the transaction, other transactions that raise the version wait.
 */
export async function raiseVersion(model: Model, session: StoreSession): Promise<void> {
  const lease = model.object('Lease')
  const found = await findVersion(model, session)
  if (!found) {
    await session.insert(lease, { lse_name: name, lse_number: 1 }, lease.select([]))
  } else {
    const select = lease.select(['lse_number'])
    const locked = await session.get(lease, found.id, { select, lock: true })
    const number = ((locked?.['lse_number'] as number | null) ?? 0) + 1
    await session.update(lease, found.id, { lse_number: number }, { select: lease.select([]) })
  }
  await session.notify?.(channel)
}

/** Makes the row of the version, so that no two first changes make it at the same time. */
export async function prepareVersion(model: Model, store: ObjectStore): Promise<void> {
  await createLease({ model, store, name }).readNumber()
}

/** Options of `createVersionWatch`. */
export interface VersionWatchOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  /** Drops everything that was read of users, groups, grants, system parameters and revoked tokens. */
  readonly onChange: () => void
  /** How often the database is asked while there are requests, in ms. Default 500. */
  readonly everyMs?: number
  /** Called when the version cannot be read, once until it can again. Default: none. */
  readonly onError?: (error: unknown) => void
  /** A monotonic clock, in ms. Default: that of the process. */
  readonly now?: () => number
}

/** Notices changes by other processes on the same database. */
export interface VersionWatch {
  /**
   * To be called by every request, before it uses anything that is kept in memory. Reads the version when the last look is
   * older than `everyMs`, in the background. The first call also starts to listen, on a store that can: after a notice the
   * next call reads. The version is read every `everyMs` all the same, as a connection may be lost without a sign.
   *
   * @returns `undefined`, without any wait, when the last look is at most twice as old as `everyMs`, and there was no notice
   * since; otherwise a promise that resolves after the look. It never rejects: when the database does not answer, `onChange`
   * is called.
   */
  look(): Promise<void> | undefined
  /**
   * Makes this process, and all others within twice `everyMs`, forget what they read: the tables were changed by something
   * else than a service.
   */
  raise(): Promise<void>
  /** Stops listening. */
  close(): Promise<void>
}

/**
 * Caches of a process that follow the changes of all others: within twice `everyMs` on any database, immediately where its
 * store has notices.
 */
export function createVersionWatch({
  model,
  store,
  onChange,
  everyMs = 500,
  onError = () => {},
  now = () => performance.now(),
}: VersionWatchOptions): VersionWatch {
  let seen: number | undefined
  /** When the last look that succeeded started. */
  let lookedAt = -Infinity
  let running: Promise<void> | undefined
  let failing = false
  let isNoticed = false
  let stop: (() => Promise<void>) | undefined

  return {
    look() {
      stop ??= store.listen?.(channel, notice) ?? (async () => {})
      const age = now() - lookedAt
      if (age < everyMs) return undefined
      running ??= read().finally(() => (running = undefined))
      return age > everyMs * 2 ? running : undefined
    },
    async raise() {
      await store.transaction((session) => raiseVersion(model, session))
      onChange()
    },
    async close() {
      await stop?.()
    },
  }

  function notice(): void {
    isNoticed = true
    lookedAt = -Infinity
  }

  async function read(): Promise<void> {
    const began = now()
    isNoticed = false
    try {
      const number = (await findVersion(model, store))?.number ?? 0
      if (number !== seen) onChange()
      seen = number
      // What was read may be older than a notice that came meanwhile.
      if (!isNoticed) lookedAt = began
      failing = false
    } catch (error) {
      // Nothing that may be outdated is used meanwhile.
      onChange()
      if (!failing) onError(error)
      failing = true
    }
  }
}

async function findVersion(
  model: Model,
  session: Pick<StoreSession, 'search'>,
): Promise<{ readonly id: string; readonly number: number } | undefined> {
  const lease = model.object('Lease')
  const where: Filter = { op: '=', field: 'lse_name', value: name }
  const select = lease.select(['lse_number'])
  for await (const [row] of session.search(lease, { select, where, order: lease.order, limit: 1 }))
    return row && { id: row.row_id, number: (row['lse_number'] as number | null) ?? 0 }
  return undefined
}
