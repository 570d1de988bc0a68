import { StoreError } from '@steward/rest-core/errors'
import type { SchemaDialect } from '../dialect.js'

export const sqliteSchema: SchemaDialect = {
  name: 'sqlite',
  transactionalDdl: true,
  async read() {
    throw new StoreError('internal', 'Cannot read the catalogue yet.')
  },
}
