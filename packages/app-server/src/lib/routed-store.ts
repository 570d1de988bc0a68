import type { Caller, Model, ObjectModel, ObjectStore, StoreSession } from '@steward/rest-core'
import { LazyTransaction } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'

export interface RoutedStoreOptions {
  /** Where objects are kept that `isSystem` does not claim. */
  readonly data: ObjectStore
  /** Where the others are kept. */
  readonly system: ObjectStore
  readonly isSystem: (object: ObjectModel) => boolean
}

/**
 * Two stores as one: the objects of the application in a database of another owner, and the system objects beside
 * it, so that serving a database adds no table to it. A transaction that writes to both commits the data first; no
 * object of one store refers to one of the other.
 */
export function createRoutedStore({ data, system, isSystem }: RoutedStoreOptions): ObjectStore {
  const storeOf = (object: ObjectModel) => (isSystem(object) ? system : data)
  return {
    ...route(storeOf),
    capabilities: data.capabilities,
    ...(data.knex && { knex: data.knex }),
    ...(data.knexWithin && { knexWithin: (lend) => data.knexWithin!(lend) }),
    transaction: runBoth,
    plan: (model, options) => system.plan(only(model, isSystem), options),
    sync: (model, options) => system.sync(only(model, isSystem), options),
    introspect: (options) => data.introspect(options),
    constraintColumns: async (object, constraint) =>
      (await storeOf(object).constraintColumns?.(object, constraint)) ?? [],
    async ping() {
      await Promise.all([data.ping(), system.ping()])
    },
    async close() {
      await Promise.all([data.close(), system.close()])
    },
  }

  /** Only a store that is used opens a transaction. */
  async function runBoth<T>(work: (session: StoreSession) => Promise<T>, caller?: Caller): Promise<T> {
    const own = new LazyTransaction(data, undefined, undefined, caller)
    const beside = new LazyTransaction(system, undefined, undefined, caller)
    try {
      const result = await work({
        ...route((object) => (isSystem(object) ? beside : own).session()),
        async lend() {
          const session = await own.session()
          if (session.lend) return session.lend()
          throw new StoreError('internal', `The store "${data.capabilities.name}" lends no connection.`)
        },
      })
      await own.commit()
      await beside.commit()
      return result
    } catch (error) {
      await own.rollback(error)
      await beside.rollback(error)
      throw error
    }
  }
}

function route(sessionOf: (object: ObjectModel) => StoreSession | Promise<StoreSession>): StoreSession {
  return {
    get: async (object, ...rest) => (await sessionOf(object)).get(object, ...rest),
    async *search(object, query) {
      yield* (await sessionOf(object)).search(object, query)
    },
    aggregate: async (object, ...rest) => (await sessionOf(object)).aggregate(object, ...rest),
    searchIndex: async (object, ...rest) => (await sessionOf(object)).searchIndex(object, ...rest),
    countIndex: async (object, ...rest) => (await sessionOf(object)).countIndex(object, ...rest),
    count: async (object, ...rest) => (await sessionOf(object)).count(object, ...rest),
    insert: async (object, ...rest) => (await sessionOf(object)).insert(object, ...rest),
    update: async (object, ...rest) => (await sessionOf(object)).update(object, ...rest),
    delete: async (object, ...rest) => (await sessionOf(object)).delete(object, ...rest),
  }
}

function only(model: Model, wanted: (object: ObjectModel) => boolean): Model {
  return {
    objects: new Map([...model.objects].filter(([, object]) => wanted(object))),
    object: (name) => model.object(name),
  }
}
