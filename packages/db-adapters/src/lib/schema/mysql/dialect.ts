import { StoreError } from '@steward/rest-core/errors'
import type { SchemaDialect } from '../dialect.js'

export const mysqlSchema: SchemaDialect = {
  name: 'mysql',
  transactionalDdl: false,
  async read() {
    throw new StoreError('internal', 'Cannot read the catalogue yet.')
  },
}
