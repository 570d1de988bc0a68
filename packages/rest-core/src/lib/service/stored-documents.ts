import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createStoredDocuments(
  _context: ServiceContext,
): Pick<BusinessObjects, 'document' | 'thumbnail' | 'upload'> {
  return {
    async document() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: document.')
    },
    async thumbnail() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: thumbnail.')
    },
    async upload() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: upload.')
    },
  }
}
