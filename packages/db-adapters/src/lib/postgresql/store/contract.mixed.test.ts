/** @module-tag mixed */
import { testObjectStore } from '@steward/rest-core/testing'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { freshDatabase, needs } from '../../../../../../tests/servers/index.js'
import { createPostgresqlStore } from '../../../postgresql.js'

needs('postgresql', (url) => {
  testObjectStore(
    'store',
    async () => {
      const database = await freshDatabase(url)
      const open = () => createPostgresqlStore({ connection: database.url })
      return { store: open(), reopen: async () => open(), dispose: () => database.drop() }
    },
    contractSize,
  )
})
