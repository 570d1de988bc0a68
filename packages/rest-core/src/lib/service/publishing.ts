import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createPublishing(_context: ServiceContext): Pick<BusinessObjects, 'publish'> {
  return {
    async publish() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: publish.')
    },
  }
}
