import type { ManagerError } from '../../../errors.js'
import { contextFor } from '../../access/scope.js'
import type { ManagerContext } from '../../context.js'
import type { Refusals } from '../../history/refusals.js'
import { subjectOf } from '../../history/subject.js'
import type { Performance } from './performance.js'

/**
 * What the caller may work with; that one may not is in the history.
 *
 * @throws ManagerError ERR_ACCESS, ERR_NOT_FOUND
 */
export function visibleTo({ context, action, input, caller }: Performance, refusals: () => Refusals): ManagerContext {
  try {
    return contextFor(context, action, input, caller)
  } catch (error) {
    const subject = subjectOf(action, input, context.registry)
    const { code, message } = error as ManagerError
    if (code === 'ERR_ACCESS' || subject.instance.id !== '')
      refusals().note({ caller, action: action.name, ...subject, reason: message })
    throw error
  }
}
