import { explainFullDisk, withFullDisk } from '../../disk/full-disk.js'
import { clockDoubt, noteClock } from '../../history/believed-time.js'
import { recordCall } from '../../history/record-call.js'
import { withDefaults } from '../../settings/with-defaults.js'
import { sqliteFailure } from '../../system/sqlite-failure.js'
import { atHome } from './at-home.js'
import { onSettings } from './on-settings.js'
import { compose, type Layer, type Rest } from './performance.js'
import { publishing } from './publishing.js'
import { unattended } from './unattended.js'

/** What surrounds each action. `scoped` knows whom it refused lately, so that each manager has one of its own. */
export function createPerform(scoped: Layer): Rest {
  return compose(
    [
      // Failures are mailed as they are explained.
      unattended,
      // Whatever fails below, for want of space or because of SQLite.
      explained,
      // Nothing is done on behalf of callers who may not.
      scoped,
      // What of config.sh cannot be used is said once.
      onSettings,
      // Nothing is done for a home that may be a copy.
      atHome,
      // Ages are counted by a clock that did not leap.
      clockNoted,
      // The action finds nothing half-done.
      recovered,
      // The copy has the entry in the history, too, and what was published.
      copied,
      // What was recovered or done is published, also when the action failed.
      publishing,
      // What an action did or tried over the API, not what surrounds it.
      recorded,
    ],
    ({ action, context, visible = context, input, caller }) => {
      const handle = () => action.handler({ context: visible, input, caller })
      const { alwaysWorks = !action.mutating && !action.keepsRunning } = action
      return alwaysWorks ? withDefaults(handle) : handle()
    },
  )
}

/** Callers with a scope learn nothing about disks. */
const explained: Layer = async (performance, rest) => {
  const { context, action, caller } = performance
  try {
    const result = await rest(performance)
    return action.standalone || !caller.grant.scope.all ? result : await withFullDisk(context, result)
  } catch (error) {
    const failure = sqliteFailure(error, context.home.database)
    throw caller.grant.scope.all ? await explainFullDisk(context, failure) : failure
  }
}

/** What changes something notes the time, and a clock that leapt is reported. */
const clockNoted: Layer = async (performance, rest) => {
  const { context, action, caller } = performance
  if (!action.mutating || action.standalone || caller.dryRun) return rest(performance)
  noteClock(context)
  const doubt = clockDoubt(context)
  const result = await rest(performance)
  return doubt === undefined || !caller.grant.scope.all
    ? result
    : { ...result, warnings: [...(result.warnings ?? []), doubt] }
}

/** Brings to an end what dead owners left. */
const recovered: Layer = async (performance, rest) => {
  const { context, action, input, caller } = performance
  if (action.standalone || action.withoutRegistry?.(input) || caller.leavesRecovery) return rest(performance)
  const operations = await context.operations.recover(caller)
  return rest({ ...performance, hasRecovered: operations.length > 0 })
}

/**
 * What changed the registry without an operation is copied, too. An action that has a home of its own to make, as another
 * account, leaves that account's files alone.
 */
const copied: Layer = async (performance, rest) => {
  const { context, action, caller } = performance
  const result = await rest(performance)
  if (!action.mutating || caller.dryRun || action.defaultHome !== undefined) return result
  const problem = context.registryCopies.keep()
  return problem === undefined ? result : { ...result, warnings: [...(result.warnings ?? []), problem] }
}

const recorded: Layer = (performance, rest) => {
  const { context, action, input, caller } = performance
  return recordCall(context, { action, input, caller }, (by) => rest({ ...performance, caller: by }))
}
