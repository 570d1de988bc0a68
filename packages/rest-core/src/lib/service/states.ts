import type { ErrorMessage } from '../../errors.js'
import type { StateModel } from '../definition/definition.js'
import type { FieldValue } from '../fields/field-value.js'
import type { FieldModel, ObjectModel } from '../model/model.js'
import { isInSome } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import { initialState } from './input.js'

/** A new record starts in the initial state. Source: docs/spec/wire-decisions.md, "states". */
export function checkInitialState(object: ObjectModel, values: Readonly<Record<string, FieldValue>>): ErrorMessage[] {
  const { state: field } = object
  const value = field && values[field.name]
  if (!field || !value || value === initialState(field)) return []
  return [refusal(field, `A new record starts in state "${initialState(field)}", not "${String(value)}".`)]
}

/** A changed state must follow a transition that the principal may use; the message names those. */
export function checkTransition(
  object: ObjectModel,
  from: FieldValue,
  to: FieldValue,
  principal: Principal,
): ErrorMessage[] {
  const { state: field } = object
  if (!field || from === to || from === '') return []
  const allowed = (object.definition.states?.transitions ?? [])
    .filter((transition) => [transition.from].flat().includes(from as string))
    .filter((transition) => mayUse(transition, principal))
    .map((transition) => transition.to)
  if (allowed.includes(to as string)) return []
  const choices =
    allowed.length > 0
      ? `allowed from there: ${[...new Set(allowed)].join(', ')}`
      : 'no other state is allowed from there'
  return [refusal(field, `Field "${field.name}" cannot go from "${String(from)}" to "${String(to)}"; ${choices}.`)]
}

/** Whether the transition is the principal's, where it is kept to groups. */
export function mayUse({ groups }: StateModel['transitions'][number], principal: Principal): boolean {
  return isInSome(principal, groups)
}

/** The same for a writer who may not read the state: says neither what it is nor what is allowed from there. */
export function refusedState({ state }: ObjectModel, to: FieldValue): ErrorMessage {
  const field = state as FieldModel
  return refusal(field, `Field "${field.name}" cannot go to "${String(to)}" from its present state.`)
}

function refusal(field: FieldModel, text: string): ErrorMessage {
  return { code: 'ERR_TRANSITION', field: field.name, text }
}
