import { testObjectStore } from '@steward/rest-core/testing'
import { contractSize } from '../../../../../../tests/contract-size.js'
import { freshDatabase, needs } from '../../../../../../tests/servers/index.js'
import { createMssqlStore } from '../../../mssql.js'

needs('mssql', (url) => {
  testObjectStore(
    'store',
    async () => {
      const database = await freshDatabase(url)
      const open = () => createMssqlStore({ connection: database.url })
      return { store: open(), reopen: async () => open(), dispose: () => database.drop() }
    },
    contractSize,
  )
})
