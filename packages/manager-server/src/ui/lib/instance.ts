import type { ListedInstance, ShownInstance } from '@steward/manager-core'

/** An instance as `list` or `get` answers it. */
export type Instance = ListedInstance & Partial<ShownInstance>

/** Whether it has processes. */
export function isRunning({ observed }: Pick<Instance, 'observed'>): boolean {
  return ['started', 'starting', 'degraded', 'suspended'].includes(observed)
}

/** Whether an operation on it could be neither finished nor rolled back. */
export function needsAttention({ attention }: Pick<Instance, 'attention'>): boolean {
  return attention !== ''
}

/** Whether an operation is under way. */
export function isBeingChanged(instance: Pick<Instance, 'operation' | 'attention'>): boolean {
  return instance.operation !== '' && !needsAttention(instance)
}

/** Whether it is not what is recorded. */
export function isOtherwise(instance: Pick<Instance, 'status' | 'observed'>): boolean {
  return (instance.status === 'started') !== (isRunning(instance) || instance.observed === 'asleep')
}

/** Where people reach it. */
export function addressOf({ public_url, custom_url, url }: Instance): string {
  return public_url || custom_url || url
}

/** Whether its version has a newer template. */
export function needsUpgrade({ update }: Pick<Instance, 'update'>): boolean {
  return update === 'available'
}

/** Whether it should answer, and does not or not well. */
export function isDown(instance: Instance): boolean {
  const { status, observed, health = '' } = instance
  if (isBeingChanged(instance) || status !== 'started') return observed === 'crashed'
  return ['crashed', 'degraded', 'stopped', 'unknown'].includes(observed) || (health !== '' && health !== 'OK')
}

/** Whether there is no good backup of it here. */
export function hasNoBackup({ last_backup: last }: Pick<Instance, 'last_backup'>): boolean {
  return last === ''
}
