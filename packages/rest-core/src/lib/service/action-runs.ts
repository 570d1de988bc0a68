import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import type { ServiceContext } from './service-context.js'

export function createActionRuns(_context: ServiceContext): Pick<BusinessObjects, 'action' | 'task' | 'cancelTask'> {
  return {
    async action() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: action.')
    },
    task() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: task.')
    },
    cancelTask() {
      throw new RestError('ERR_INTERNAL', 'Not there yet: cancelTask.')
    },
  }
}
