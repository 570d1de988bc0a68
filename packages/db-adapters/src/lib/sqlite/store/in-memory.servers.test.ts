import { testObjectStore } from '@steward/rest-core/testing'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { createSqliteStore } from '../../../sqlite.js'

testObjectStore(
  'createSqliteStore({ filename: ":memory:" })',
  async () => createSqliteStore({ filename: ':memory:' }),
  { seed: 2, filters: contractSize.filters, rows: 3_000 },
)
