import { requireAtHome, whyNotAtHome } from '../../instances/home-place.js'
import type { Layer } from './performance.js'

/** A home that was copied or moved is only looked at, until it is adopted. */
export const atHome: Layer = async (performance, rest) => {
  const { context, action, input, caller } = performance
  if (action.standalone || action.withoutRegistry?.(input)) return rest(performance)
  const { changesOutside = () => action.mutating } = action
  if (changesOutside(input)) requireAtHome(context)
  const why = whyNotAtHome(context)
  if (why === undefined) return rest(performance)
  const result = await rest({ ...performance, caller: { ...caller, leavesRecovery: true } })
  // It may have been adopted by this very command.
  if (whyNotAtHome(context) === undefined) return result
  const advice = `${why} It can only be looked at until it is adopted: manager doctor --adopt`
  return { ...result, warnings: [advice, ...(result.warnings ?? [])] }
}
