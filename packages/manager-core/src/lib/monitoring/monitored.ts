import type { ManagerContext } from '../context.js'
import { isThrowAway, type Instance } from '../domain/instance.js'
import { createJournal } from '../store/journal.js'

type Context = Pick<ManagerContext, 'registry' | 'clock'>

/**
 * Instances that should answer: started ones, but for those that sleep or whose application server was stopped on purpose. One that an
 * operation was stopped or killed at is among them.
 */
export function wantedInstances({ registry }: Pick<Context, 'registry'>): readonly Instance[] {
  return registry
    .instances()
    .filter((instance) => instance.desired === 'started' && !isThrowAway(instance))
    .filter(({ observed, operation }) => observed !== 'asleep' && (observed !== 'stopped' || operation !== ''))
}

/** Ids of instances that an operation is at, which may stop or pause them. */
export function busyInstances({ registry, clock }: Context): ReadonlySet<string> {
  const open = createJournal(registry, { clock }).open()
  const atWork = open.filter(({ state, ownerState }) => state !== 'attention' && ownerState !== 'dead')
  return new Set(atWork.map(({ instanceId }) => instanceId))
}
