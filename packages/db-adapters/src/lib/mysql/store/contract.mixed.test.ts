/** @module-tag mixed */
import { testObjectStore } from '@steward/rest-core/testing'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { freshDatabase, needs } from '../../../../../../tests/servers/index.js'
import { createMysqlStore } from '../../../mysql.js'

needs('mysql', (url) => {
  testObjectStore(
    'store',
    async () => {
      const database = await freshDatabase(url)
      const open = () => createMysqlStore({ connection: database.url })
      return { store: open(), reopen: async () => open(), dispose: () => database.drop() }
    },
    contractSize,
  )
})
