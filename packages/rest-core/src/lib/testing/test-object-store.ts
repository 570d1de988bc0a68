import { describe } from 'vitest'
import { testAggregates } from './aggregates.js'
import { testBulk } from './bulk.js'
import { testBytes } from './bytes.js'
import { testClose } from './close.js'
import { testCompositeKeys } from './composite-keys.js'
import { testCursors } from './cursors.js'
import { testFilters } from './filters.js'
import { testGuards } from './guards.js'
import { testHookValues } from './hook-values.js'
import { testIndexSearch } from './index-search.js'
import { testIntrospection } from './introspection.js'
import { testKeys } from './keys.js'
import { testNotices } from './notices.js'
import { testOrder } from './order.js'
import { testPaths } from './paths.js'
import { testRecords } from './records.js'
import { testReferences } from './references.js'
import { testRights } from './rights.js'
import { testSchema } from './schema.js'
import { testSelections } from './selections.js'
import type { StoreFactory } from './store-under-test.js'
import { testStreams } from './streams.js'
import { testTransactions } from './transactions.js'

export interface ObjectStoreTestOptions {
  /** Start of the generated data and filters; another one finds other mistakes. Default 1. */
  readonly seed?: number
  /** Generated filters per object. Default 300. */
  readonly filters?: number
  /** Rows in the table that is streamed; at least 10,000 show what a larger table does. Default 10,000. */
  readonly rows?: number
}

/**
 * Defines the tests of the `ObjectStore` contract for one store, in a group called `name`.
 *
 * @param factory Gives an empty store that shares nothing with those given before; called once per group of tests.
 * Return `{ store, reopen, dispose }` when other stores can be opened on the same data, or when it has to be removed.
 *
 * @example
 * testObjectStore('sqlite', async () => createSqliteStore({ filename: join(await mkdtemp(prefix), 'test.db') }))
 */
export function testObjectStore(name: string, factory: StoreFactory, options: ObjectStoreTestOptions = {}): void {
  const settings = { seed: 1, filters: 300, rows: 10_000, ...options }
  // Tests of servers take long on a busy machine.
  describe(name, { timeout: 120_000 }, () => {
    testRecords(factory)
    testFilters(factory, settings)
    testOrder(factory, settings.seed)
    testCursors(factory, settings.seed)
    testGuards(factory, settings.seed)
    testPaths(factory, settings.seed)
    testSelections(factory)
    testAggregates(factory, settings.seed)
    testKeys(factory)
    testCompositeKeys(factory, settings.seed)
    testReferences(factory)
    testRights(factory, settings.seed)
    testHookValues(factory)
    testTransactions(factory)
    testNotices(factory)
    testStreams(factory, settings.rows)
    testBulk(factory)
    testBytes(factory)
    testIndexSearch(factory)
    testSchema(factory)
    testIntrospection(factory)
    testClose(factory)
  })
}
