import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createDryRun(_context: ServiceContext): Pick<BusinessObjects, 'dryRun'> {
  return {
    async dryRun() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: dryRun.')
    },
  }
}
