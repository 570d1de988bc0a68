import { RestError } from '../../errors.js'
import type { BusinessObjects } from './business-objects.js'
import { callerOf } from './caller-of.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'
import { LazyTransaction, repeatUndone } from './transaction.js'

/** Everything happens in a transaction that is always undone; what waits for its end (documents, listeners) never comes. */
export function createDryRun(context: ServiceContext): Pick<BusinessObjects, 'dryRun'> {
  return {
    async dryRun(work, options = {}) {
      if (context.transaction)
        throw new RestError('ERR_BAD_REQUEST', 'A dry run cannot be part of a transaction, because it keeps nothing.')
      const caller = options.principal && callerOf(options.principal, options)
      try {
        return await repeatUndone(async () => {
          const transaction = new LazyTransaction(context.store, context.onError, undefined, caller)
          try {
            return await work(context.bind(transaction))
          } finally {
            await transaction.rollback(new Error('This was a dry run.'))
          }
        }, options)
      } catch (error) {
        throw await translate(error, undefined, context.store)
      }
    },
  }
}
