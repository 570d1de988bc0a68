import type { StoreError } from '@steward/rest-core/errors'
import type { Knex } from 'knex'
import type { ServerConnection } from '../pool/connection.js'
import type { Cancel } from '../pool/canceller.js'
import type { PoolLimits } from '../pool/options.js'
import type { ReadFacts } from '../pool/learning.js'
import { learning } from '../pool/learning.js'
import type { Compiler } from '../sql/compiler.js'
import { checkInstance, type DatabaseName } from './instance.js'
import { KnexPool } from './knex-pool.js'
import { createOwnInstance, type OwnInstanceParts } from './own-instance.js'

/** The connections of one driver. */
export interface DriverParts<C extends ServerConnection> extends Omit<OwnInstanceParts, 'pool' | 'open'> {
  readonly name: DatabaseName
  /** Opens one with its session prepared. */
  open(): Promise<C>
  /** Takes one that the store has not opened. */
  connect(raw: object): C | Promise<C>
  /**
   * Sets what statements need, on one that the store has not opened.
   *
   * @param isLocal within a transaction of the application
   * @returns puts the settings back
   */
  prepare(connection: C, isLocal: boolean): Promise<() => Promise<void>>
  /** Statements around a call in a transaction of the application. */
  readonly savepoint: Savepoint
  translateError(error: unknown): StoreError
  /** What the compiler may know of the tables, which the first connection finds. Absent: nothing. */
  readonly learn?: { readonly compiler: Compiler; readonly readFacts: ReadFacts }
}

export interface Savepoint {
  readonly set: string
  readonly undo: string
  /** Absent: the next one of the same name replaces it. */
  readonly release?: string
}

export const standardSavepoint: Savepoint = {
  set: 'savepoint steward',
  undo: 'rollback to savepoint steward',
  release: 'release savepoint steward',
}

/** What joins a transaction on a connection, for a call. */
export type Join<C> = (raw: object) => Promise<{ readonly connection: C; keep(): Promise<void>; undo(): Promise<void> }>

export interface Connections<C extends ServerConnection> {
  readonly knex: Knex
  readonly pool: KnexPool<C>
  readonly join: Join<C>
  /** Opens one beside the pool. */
  open(): Promise<C>
  /** By knex, on a connection of its own. */
  readonly cancel: Cancel<C>
}

/** Connections of an instance of knex: the application's, which stays open, or one that is made here. */
export function createConnections<C extends ServerConnection>(
  given: Knex | undefined,
  limits: { readonly pool: PoolLimits },
  parts: DriverParts<C>,
): Connections<C> {
  const { name, open, connect, prepare, savepoint, translateError, learn, ...instance } = parts
  const openAndLearn = learn ? learning(open, learn) : open
  const own = given ? undefined : createOwnInstance<C>({ ...instance, open: openAndLearn, pool: limits.pool })
  const knex = own?.knex ?? checkInstance(given!, name)
  const client = knex.client as Knex.Client
  const settings = new WeakMap<C, () => Promise<void>>()
  const enter = async (raw: object): Promise<C> => {
    const connection = await connect(raw)
    settings.set(connection, await prepare(connection, false))
    return connection
  }
  return {
    knex,
    pool: new KnexPool<C>({
      knex,
      sessions: {
        enter: own?.connectionOf ?? (learn ? learning(enter, learn) : enter),
        leave(connection) {
          const putBack = settings.get(connection)
          settings.delete(connection)
          return putBack?.()
        },
        translateError,
      },
      timeline: own?.timeline,
      async end() {
        if (own) await knex.destroy()
      },
    }),
    async join(raw) {
      const mine = own?.find(raw)
      const connection = mine ?? (await connect(raw))
      const { set, undo, release } = savepoint
      let putBack: (() => Promise<void>) | undefined
      const leave = async (statements: readonly (string | undefined)[]): Promise<void> => {
        try {
          for (const sql of statements) if (sql !== undefined) await connection.run(sql)
        } finally {
          // What ended the whole transaction is reported by what met it.
          if (connection.usable) await putBack?.()
          connection.join(false)
        }
      }
      connection.join(true)
      try {
        putBack = mine ? undefined : await prepare(connection, true)
        await connection.run(set)
      } catch (error) {
        await leave([]).catch(() => {})
        throw error
      }
      return { connection, keep: () => leave([release]), undo: () => leave([undo, release]) }
    },
    open: own
      ? open
      : async () => {
          const raw = (await client.acquireRawConnection()) as object
          const connection = await connect(raw)
          await prepare(connection, false)
          return connection
        },
    cancel: createCancel(client),
  }
}

interface Cancelling {
  cancelQuery(raw: object): Promise<void>
}

/** Cancels one after the other: each is a connection. */
function createCancel<C extends ServerConnection>(client: Knex.Client): Cancel<C> {
  let last = Promise.resolve()
  return ({ raw }) => {
    // The time limit of statements is left.
    last = last.then(() => (client as unknown as Cancelling).cancelQuery(raw)).catch(() => {})
    return last
  }
}
