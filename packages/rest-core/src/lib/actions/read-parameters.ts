import type { ErrorMessage } from '../../errors.js'
import { RestError, mostMessages } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { isBlank, isEmpty, Problem } from '../fields/field-type.js'
import { expandDefault } from '../service/input.js'
import type { Principal } from '../rights/rights.js'
import type { ActionModel } from './action.js'

/**
 * Parameters of a call, parsed and checked like the fields of a record; what was not given is its default or empty.
 *
 * @throws RestError ERR_VALIDATION with all messages.
 */
export function readParameters(
  action: ActionModel,
  given: Readonly<Record<string, unknown>>,
  principal: Principal,
  now: Date,
): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {}
  const messages: ErrorMessage[] = []
  const known = new Set(action.parameters.map(({ name }) => name))
  for (const name of Object.keys(given)) {
    if (messages.length > mostMessages) break
    if (!known.has(name))
      tell('ERR_UNKNOWN_FIELD', name, `Action "${action.name}" has no parameter "${name.slice(0, 100)}".`)
  }
  for (const parameter of action.parameters) {
    const { name, type, required, definition } = parameter
    const sent = Object.hasOwn(given, name) ? given[name] : undefined
    const input = sent === undefined ? expandDefault(definition.default, principal, now) : sent
    const value = input === undefined ? type.empty : type.parse(input, parameter)
    const problem = value instanceof Problem || isEmpty(value) ? value : type.validate(value, parameter)
    if (problem instanceof Problem) tell(problem.code, name, `Parameter "${name}" ${problem.text}.`)
    else if (required && (isEmpty(value as FieldValue) || isBlank(value as FieldValue, parameter)))
      tell('ERR_REQUIRED', name, `Parameter "${name}" is required.`)
    else values[name] = value as FieldValue
  }
  if (messages.length > 0) throw RestError.validation(messages)
  return values

  function tell(code: string, field: string, text: string): void {
    messages.push({ code, field: field.slice(0, 100), text })
  }
}
