import type { ObjectStore } from '@steward/rest-core'
import type { Knex } from 'knex'

declare module '@steward/rest-core' {
  interface StoreTypes {
    readonly knex: Knex
    readonly transaction: Knex.Transaction
  }
}

/** A store that stands on an instance of knex. */
export interface SqlStore extends ObjectStore {
  readonly knex: Knex
}
