import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createIndexSearches(_context: ServiceContext): Pick<BusinessObjects, 'indexSearch' | 'rebuildIndex'> {
  return {
    async indexSearch() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: indexSearch.')
    },
    async rebuildIndex() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: rebuildIndex.')
    },
  }
}
