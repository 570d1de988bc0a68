import type { CheckedDefinition } from './checked-definition.js'
import type { ObjectDefinition } from './definition.js'
import type { TypedCode } from './typed-code.js'

/**
 * Gives a definition its exact type, so that records and inputs are typed, and `record`, `values` and `parameters` in its
 * hooks and actions. Keys that are not known, sorts by fields that are
 * not there and states of no enum field do not compile; all the rest is checked when a model is built from it.
 *
 * @example
 * const Genre = defineObject({ name: 'Genre', fields: { gen_code: { type: 'string', length: 20, key: true } } })
 */
export function defineObject<
  const F extends ObjectDefinition['fields'],
  const P,
  const D extends Omit<ObjectDefinition, keyof TypedCode<F, P>>,
>(
  definition: D & { readonly fields: F } & (string extends keyof F ? unknown : TypedCode<F, P>) & CheckedDefinition<D>,
): D {
  return definition
}
