import type { ActionDefinition } from '../actions/action.js'
import type { CrosstabDefinition } from '../crosstabs/crosstab.js'
import type { PublicationDefinition } from '../publications/publication.js'
import type { ObjectHooks } from '../service/hooks.js'
import type { FieldDefinition, ObjectDefinition, SortName, StateModel } from './definition.js'

/**
 * What a literal definition must fit beyond its type, so that misspelt keys and names do not compile: the compiler looks
 * for keys too many in plain types only. The texts are what it shows.
 */
export type CheckedDefinition<D extends ObjectDefinition> = Known<D, ObjectDefinition, 'an object'> & {
  readonly fields: {
    readonly [F in keyof D['fields']]: CheckedField<D['fields'][F]>
  }
} & CheckedPart<D, 'hooks', ObjectHooks, 'hooks'> &
  CheckedPart<D, 'states', StateModel, 'a state model'> &
  CheckedMembers<D, 'actions', ActionDefinition, 'an action'> &
  CheckedMembers<D, 'publications', PublicationDefinition, 'a publication'> &
  CheckedMembers<D, 'crosstabs', CrosstabDefinition, 'a pivot table'> &
  CheckedOrder<D> &
  CheckedState<D>

type AllKeys<T> = T extends unknown ? keyof T : never

/** Keys of `Given` that no variant of `Wanted` has. */
type Known<Given, Wanted, What extends string> = {
  readonly [K in Exclude<keyof Given, AllKeys<Wanted>>]: Mistake<`"${K & string}" is not known in ${What}`>
}

/** No value has it; its text is what the compiler shows. */
interface Mistake<Text extends string> {
  readonly [mistake]: Text
}
declare const mistake: unique symbol

type OfType<F, T> = F extends { readonly type: infer Types } ? (T extends Types ? F : never) : never

type CheckedField<F> = F extends { readonly type: infer T extends string }
  ? Known<F, OfType<FieldDefinition, T>, `a field of type "${T}"`>
  : unknown

type CheckedPart<D, P extends string, Wanted, What extends string> = D extends { readonly [K in P]: infer Given }
  ? { readonly [K in P]: Known<Given, Wanted, What> }
  : unknown

type CheckedMembers<D, P extends string, Wanted, What extends string> = D extends { readonly [K in P]: infer Given }
  ? { readonly [K in P]: { readonly [M in keyof Given]: Known<Given[M], Wanted, What> } }
  : unknown

type EnumNames<Fields> = {
  [K in keyof Fields & string]: Fields[K] extends { readonly type: 'enum' } ? K : never
}[keyof Fields & string]

type CheckedOrder<D extends ObjectDefinition> = D extends { readonly order: readonly string[] }
  ? { readonly order: readonly `${'' | '-' | '+'}${SortName<D>}`[] }
  : unknown

type CheckedState<D extends ObjectDefinition> = D extends { readonly states: object }
  ? { readonly states: { readonly field: EnumNames<D['fields']> } }
  : unknown
