import type { ActionResult } from '../../action.js'
import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import { recordHistory } from '../../history/record-history.js'
import { failureOf } from '../../system/failure.js'
import type { Layer } from './performance.js'

/**
 * Publishes after work that may have changed what is to be published, whether it succeeded or was rolled back. That the
 * reverse proxy does not take it is a warning: the work itself is done.
 */
export const publishing: Layer = async (performance, rest) => {
  const { context, action, caller, hasRecovered = false } = performance
  const mayChange = action.mutating && !action.standalone && !action.publishesItself && !caller.dryRun
  if (!mayChange && !hasRecovered) return rest(performance)
  let result: ActionResult
  try {
    result = await rest(performance)
  } catch (error) {
    await publishQuietly(context, caller)
    throw error
  }
  const warnings = await publishQuietly(context, caller)
  return warnings.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...warnings] }
}

/** @returns what a person should know: problems that are new, or why nothing was published; the latter is in the history */
async function publishQuietly(context: ManagerContext, caller: Caller): Promise<readonly string[]> {
  // What was done is to be published, also when the caller no longer waits.
  const { signal: _, ...by } = caller
  let warnings: readonly string[]
  try {
    ;({ warnings } = await context.proxies.publish(by))
  } catch (error) {
    const { message } = failureOf(error)
    warnings = [`It is not published: ${message}`]
    const failed = () => ({ message, exitCode: 1 as const })
    const about = { action: 'proxy publish' }
    // On a full disk, too, what was done is done.
    await recordHistory(context, caller, about, failed).catch(() => undefined)
  }
  for (const text of warnings) caller.onEvent?.({ type: 'warning', text })
  return warnings
}
