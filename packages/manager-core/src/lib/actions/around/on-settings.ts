import { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Layer } from './performance.js'

/**
 * What of config.sh cannot be used is a warning of each command that was done all the same. The server does not add it to
 * each of its answers: it mails it once.
 */
export const onSettings: Layer = async (performance, rest) => {
  const { context, action, caller } = performance
  const result = await rest(performance)
  if (action.standalone || action.showsSettings || caller.surface === 'api' || !caller.grant.scope.all) return result
  const warnings = problemsIn(context)
  return warnings.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...warnings] }
}

function problemsIn({ settings }: ManagerContext): readonly string[] {
  try {
    return settings.problems().map(({ message }) => `${message} What needs it is refused; the rest works.`)
  } catch (error) {
    // The home has gone meanwhile.
    if (ManagerError.is(error)) return []
    throw error
  }
}
