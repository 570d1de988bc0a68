import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createBatch(_context: ServiceContext): Pick<BusinessObjects, 'batch'> {
  return {
    async batch() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: batch.')
    },
  }
}
