import { unknownField } from '../model/create-model.js'
import { baseField } from '../model/model.js'
import type { ObjectModel, ReadableField } from '../model/model.js'
import type { RestError } from '../../errors.js'
import { filterError, type Budget } from './limits.js'

export interface FilterOptions {
  /** Values of `[LOGIN]`, `[USERID]`, …, by upper-case name. Default: none is known. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** Fields that do not exist for this user. Default: none. */
  readonly hides?: ((field: ReadableField) => boolean) | undefined
  /** The clock of relative dates. Default: now. */
  readonly now?: (() => Date) | undefined
}

/** Everything that the conditions of one request share. */
export interface FilterContext {
  readonly object: ObjectModel
  readonly options: FilterOptions
  readonly budget: Budget
  /** Where in a text about several fields the field of a condition starts, from 0; `undefined`: the text is about one field. */
  readonly position?: number
}

export function createContext(object: ObjectModel, options: FilterOptions): FilterContext {
  return { object, options, budget: { terms: 0, listValues: 0 } }
}

/**
 * The field of that name, when it may be filtered: visible, and no password.
 * @throws RestError ERR_BAD_REQUEST; the same for fields that are missing, hidden or not granted.
 */
export function filterableField({ object, options, position }: FilterContext, name: string): ReadableField {
  const { hides = () => false } = options
  const field = object.field(name)
  if (field && baseField(field).visible && !hides(field)) return field
  throw unknownField(object, name, hides, position === undefined ? '' : `, at position ${position + 1} of the filter`)
}

/** A condition that cannot be used. `text` completes `Filter on "x" at position 1 `. */
export function conditionError({ position }: FilterContext, text: string, field: string): RestError {
  return filterError(position === undefined ? text : `at position ${position + 1} ${text}`, field)
}

/** The value of a variable by its name without brackets, in any case. */
export function variableValue({ options }: FilterContext, name: string): string | undefined {
  const upper = name.toUpperCase()
  return options.variables && Object.hasOwn(options.variables, upper) ? options.variables[upper] : undefined
}
