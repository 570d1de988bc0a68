import { StoreError } from '@steward/rest-core/errors'
import type { SchemaDialect } from '../dialect.js'

export const postgresqlSchema: SchemaDialect = {
  name: 'postgresql',
  transactionalDdl: true,
  async read() {
    throw new StoreError('internal', 'Cannot read the catalogue yet.')
  },
}
