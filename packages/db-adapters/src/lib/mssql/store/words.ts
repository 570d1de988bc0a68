import { StoreError } from '@steward/rest-core/errors'
import type { WordsDialect } from '../../sql/dialect.js'

/** The store has no index search yet; `capabilities` says so. */
export const mssqlWords: WordsDialect = {
  match() {
    throw new StoreError('internal', 'The store on SQL Server cannot search an index of words.')
  },
}
