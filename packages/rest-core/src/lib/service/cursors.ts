import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createCursors(_context: ServiceContext): Pick<BusinessObjects, 'nextCursor'> {
  return {
    nextCursor() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: nextCursor.')
    },
  }
}
