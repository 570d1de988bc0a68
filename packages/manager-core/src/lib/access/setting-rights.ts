import type { Caller } from '../domain/caller.js'
import { isTakenByPrograms, type InstanceVariable } from '../settings/instance-variable.js'

/** What decides beside the variable itself whether a caller may change it. */
export interface SettingPlace {
  /** The instance has it already. */
  readonly isSet: boolean
  /** The manager, a version or hooks have a variable of this name, which that of the instance replaces. */
  readonly isShared: boolean
}

/** Why the caller may not change a variable of an instance; undefined: it may. */
export function whyNotSetting(
  { name, row, isOwn }: InstanceVariable,
  { grant: { abilities, scope }, surface }: Pick<Caller, 'grant' | 'surface'>,
  { isSet, isShared }: SettingPlace,
): string | undefined {
  const { change } = row
  if (!change || 'not' in change) return change?.not ?? 'The manager sets it.'
  if (isOwn && surface === 'api' && isTakenByPrograms(name))
    return 'Programs of the server may use it, so it is only changed on the server, by the command line.'
  const needs = isOwn && (isShared || !isSet) ? (['admin'] as const) : change.needs
  const missing = needs.find((one) => !abilities.has(one))
  if (missing !== undefined) return `This requires the ability "${missing}", which you do not have.`
  if (needs.includes('admin') && !scope.all)
    return 'This affects more than the instance, and your access is limited to some instances.'
  return undefined
}
