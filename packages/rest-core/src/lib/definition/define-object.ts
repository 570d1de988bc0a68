import type { CheckedDefinition, SortName } from './checked-definition.js'
import type { ObjectDefinition } from './definition.js'

/** Filters of a search by name of their field; a field of a linked object is `<reference>__<field>`. */
export type FiltersOf<D extends ObjectDefinition> = { [K in SortName<D>]?: string | readonly string[] }

/**
 * Gives a definition its exact type, so that records and inputs are typed. Keys that are not known, sorts by fields that are
 * not there and states of no enum field do not compile; all the rest is checked when a model is built from it.
 *
 * @example
 * const Genre = defineObject({ name: 'Genre', fields: { gen_code: { type: 'string', length: 20, key: true } } })
 */
export function defineObject<const D extends ObjectDefinition>(definition: D & CheckedDefinition<D>): D {
  return definition
}
