import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createKeys(_context: ServiceContext): Pick<BusinessObjects, 'findByKey' | 'upsert'> {
  return {
    async findByKey() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: findByKey.')
    },
    async upsert() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: upsert.')
    },
  }
}
