import type {
  DocumentField,
  FieldDefinition,
  IdField,
  ImageField,
  PasswordField,
  ReferenceField,
} from '../definition/definition.js'
import type { FieldValue } from '../fields/field-value.js'
import type { BusinessRecord, FieldModel } from '../model/model.js'
import type { HookContext } from '../service/hooks.js'

/** What an action or a publication works on: one record, the object (or the records of a search), or either. */
export type Scope = 'record' | 'global' | 'both'

/** A parameter is described like a field: type, label, required, default, limits. */
export type ParameterDefinition = Exclude<
  FieldDefinition,
  IdField | ReferenceField | DocumentField | ImageField | PasswordField
>

/** A custom action of an object. Source: docs/spec/rest-service.md, "Custom action". */
export interface ActionDefinition {
  /** For people; default: the name. */
  readonly label?: string
  readonly help?: string
  /** Default `record`. */
  readonly scope?: Scope
  readonly parameters?: Readonly<Record<string, ParameterDefinition>>
  /** Groups whose users may run it; default: everybody with the letter `A` whose grants do not leave it out. */
  readonly groups?: readonly string[]
  /** Question to put before it runs, for pages. */
  readonly confirm?: string
  /** It takes long: answered at once with 202 and the address of its status. Default false. */
  readonly background?: boolean
  /**
   * It does nothing outside of the database that must not happen twice: when the database undoes its transaction to let
   * another one proceed (a deadlock), it runs again from its start, instead of a 503 for the client. Default false.
   */
  readonly repeatable?: boolean
  /**
   * A background action that may run again from its start, in another process, when its own one ends: what it has written
   * by then stays, so it must find out what is left to do. Default false: the task fails with the reason.
   */
  readonly resumable?: boolean
  /**
   * Does it. What it returns (a string or any JSON value) is the result; what it throws as RestError is the answer.
   * What it writes through `service` is one transaction, unless the action is a background one: then every call is its own.
   */
  run(context: ActionContext): unknown
}

export interface ActionContext extends HookContext {
  /** Name of the action. */
  readonly action: string
  /** The record, as this user gets it; `undefined` for a global call. */
  readonly record: BusinessRecord | undefined
  /** By name, parsed and validated; one that was not given is empty or its default. */
  readonly parameters: Readonly<Record<string, FieldValue>>
  /** Global calls: the records that the filters of the call match, as this user may read them. */
  records(): Promise<AsyncIterable<readonly BusinessRecord[]>>
  /** Aborted when the server stops or, for a background action, when a user cancels it. */
  readonly signal: AbortSignal
  /** Reports progress; shown at the status address of a background action. */
  progress(done: number, total?: number, text?: string): void
}

/** An action with everything that can be answered from its definition alone. */
export interface ActionModel {
  readonly name: string
  readonly label: string
  readonly scope: Scope
  readonly parameters: readonly FieldModel[]
  readonly definition: ActionDefinition
}
