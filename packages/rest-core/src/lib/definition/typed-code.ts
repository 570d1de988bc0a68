import type { ActionContext, ActionDefinition } from '../actions/action.js'
import type { FieldValue } from '../fields/field-value.js'
import type { ActionGuardContext, DeleteContext, ObjectHooks, RecordContext, WriteContext } from '../service/hooks.js'
import type { FieldDefinition, ReferenceDisplays, ValueOf } from './definition.js'

/** A value of a field as code meets it. */
type CodeValue<F> = F extends FieldDefinition ? (unknown extends ValueOf<F> ? FieldValue : ValueOf<F>) : FieldValue

type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** A record in hooks and actions of an object with these fields. */
export type CodeRecord<F> = Simplify<
  { row_id: string } & {
    -readonly [K in keyof F & string as F[K] extends { type: 'password' } ? never : K]: CodeValue<F[K]>
  } & { -readonly [K in ReferenceDisplays<F>]: FieldValue }
>

/** Before a change: the whole record, with what the service keeps of its own. */
type OldRecord<F> = CodeRecord<F> & Record<'created_dt' | 'created_by' | 'updated_dt' | 'updated_by', string>

/** Values that are written, or parameters. */
type CodeValues<F> = { -readonly [K in keyof F]?: CodeValue<F[K]> }

/** The context of a hook with records and values of these fields. */
type Typed<C, F> = Simplify<
  Omit<C, 'record' | 'values' | 'old'> &
    (C extends { readonly record: infer R } ? { readonly record: R extends object ? CodeRecord<F> : R } : unknown) &
    (C extends { readonly values: unknown } ? { readonly values: CodeValues<F> } : unknown) &
    (C extends { old(): unknown } ? { old(): Promise<OldRecord<F> | undefined> } : unknown)
>

/** After a write the record is there. */
type AfterWrite<F> = Omit<Typed<WriteContext, F>, 'record'> & { readonly record: CodeRecord<F> }

interface TypedHooks<F> {
  readonly initCreate?: Run<Typed<WriteContext, F>>
  readonly initUpdate?: Run<Typed<WriteContext, F>>
  readonly preValidate?: Run<Typed<WriteContext, F>>
  readonly postValidate?: Run<Typed<WriteContext, F>>
  readonly preSave?: Run<Typed<WriteContext, F>>
  readonly preCreate?: Run<Typed<WriteContext, F>>
  readonly preUpdate?: Run<Typed<WriteContext, F>>
  readonly postCreate?: Run<AfterWrite<F>>
  readonly postUpdate?: Run<AfterWrite<F>>
  readonly postSave?: Run<AfterWrite<F>>
  readonly initDelete?: Run<Typed<DeleteContext, F>>
  readonly preDelete?: Run<Typed<DeleteContext, F>>
  readonly postDelete?: Run<Typed<DeleteContext, F>>
  readonly isUpdateEnable?: Ask<Typed<RecordContext, F>>
  readonly isDeleteEnable?: Ask<Typed<RecordContext, F>>
  readonly isActionEnable?: Ask<Typed<ActionGuardContext, F>>
}

type Run<C> = (context: C) => void | Promise<void>
type Ask<C> = (context: C) => boolean | Promise<boolean>

/** Its parameters always have a value: what was not given is the default, or empty. */
type Action<F, P> =
  | TypedAction<P, CodeRecord<F>, { readonly scope?: 'record' }>
  | TypedAction<P, undefined, { readonly scope: 'global' }>
  | TypedAction<P, CodeRecord<F> | undefined, { readonly scope: 'both' }>

type TypedAction<P, R, Scope> = Omit<ActionDefinition, 'scope' | 'parameters' | 'run'> &
  Scope & {
    readonly parameters?: P
    run(
      context: Omit<ActionContext, 'record' | 'parameters'> & {
        readonly record: R
        readonly parameters: { readonly [K in keyof P]: CodeValue<P[K]> }
      },
    ): unknown
  }

/**
 * Hooks and actions of an object whose fields are known, so that their records, values and parameters are typed.
 *
 * @typeParam P parameters of the actions, by the name of the action
 */
export interface TypedCode<F, P> {
  readonly hooks?: TypedHooks<F> & Omit<ObjectHooks, keyof TypedHooks<F>>
  readonly actions?: { readonly [K in keyof P]: Action<F, P[K]> }
}
