import type { ManagerContext } from '../context.js'
import { isThrowAway, type Instance } from '../domain/instance.js'
import { createJournal } from '../operation/journal.js'
import { stateOf } from '../operation/process-identity.js'

/**
 * Instances that should answer now: started ones, but for those whose application server was stopped on purpose, and those
 * that an operation is at, which may stop or pause them.
 */
export function monitoredInstances({
  registry,
  clock,
}: Pick<ManagerContext, 'registry' | 'clock'>): readonly Instance[] {
  const open = createJournal(registry.database, { clock }).open()
  const busy = new Set(
    open
      .filter(({ state, owner }) => state !== 'attention' && stateOf(owner) !== 'dead')
      .map(({ instanceId }) => instanceId),
  )
  return registry
    .instances()
    .filter((instance) => instance.desired === 'started' && !isThrowAway(instance) && !busy.has(instance.id))
    .filter(({ observed, operation }) => observed !== 'stopped' || operation !== '')
}
