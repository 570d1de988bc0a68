import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createCrosstabRuns(_context: ServiceContext): Pick<BusinessObjects, 'crosstab'> {
  return {
    async crosstab() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: crosstab.')
    },
  }
}
