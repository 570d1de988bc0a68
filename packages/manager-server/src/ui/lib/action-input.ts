import type { WireAction, WireInput } from '@steward/manager-core'
import type { ApiParameters } from './addresses.js'

export type FieldValue = string | boolean
export type FieldValues = Readonly<Record<string, FieldValue>>

/** The input that says what an action is about: an instance, also one that is gone. */
export function subjectOf({ parameters }: WireAction): WireInput | undefined {
  return (
    parameters.find(({ type }) => type === 'instance') ??
    parameters.find(({ name, type }) => name === 'name' && type === 'text')
  )
}

/** What the API is asked with: neither empty fields nor boxes that are not ticked. */
export function parametersOf(values: FieldValues): ApiParameters {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== false))
}

/** What must be typed before something is lost; undefined: nothing is. */
export function confirmationOf(action: WireAction, values: FieldValues, instances: readonly string[]) {
  const { destructive, harmlessWith, destructiveWith, name, parameters } = action
  if (!destructive) return undefined
  const harmless = harmlessWith === undefined ? undefined : values[harmlessWith]
  if (harmless !== undefined && harmless !== '' && harmless !== false) return undefined
  if (destructiveWith !== undefined && values[destructiveWith] !== true) return undefined
  if (instances.length > 1) return String(instances.length)
  const first = parameters[0] && values[parameters[0].name]
  return instances[0] ?? (typeof first === 'string' && first !== '' ? first : name)
}
