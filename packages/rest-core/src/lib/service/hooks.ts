import type { FieldValue } from '../fields/field-value.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { StoreKnex } from '../store-types.js'
import type { BusinessObjects } from './business-objects.js'

/** What every hook receives. */
export interface HookContext {
  readonly object: ObjectModel
  readonly principal: Principal
  /**
   * The service inside the request's transaction, which its first use opens: what a hook writes is kept or undone with
   * the request. A read outside a write has no transaction.
   */
  readonly service: BusinessObjects
  /** As `service.knex`: in a hook of a write and in a direct action, part of the transaction of the call. */
  readonly knex: StoreKnex
}

/** Around one record that is written. */
export interface WriteContext extends HookContext {
  readonly operation: 'create' | 'update'
  /**
   * The whole record before the update, hidden fields too, locked until the end of the request; `undefined` on creation.
   * It is read when first asked for, so hooks that do not need it cost nothing.
   */
  old(): Promise<BusinessRecord | undefined>
  /** New values by field name; hooks up to preCreate/preUpdate may change them, later changes have no effect. */
  readonly values: Record<string, FieldValue>
  /** From postCreate/postUpdate on: the stored record; changes to it change the answer only. */
  readonly record: BusinessRecord | undefined
}

export interface DeleteContext extends HookContext {
  readonly record: BusinessRecord
}

export interface SearchContext extends HookContext {
  /**
   * May be replaced to widen or narrow the search; the caller's rights are applied afterwards. What the caller asked for is
   * `guarded` where rights limit what it may see of linked records; terms beside it see all of them.
   */
  where: Filter | undefined
  /** Fields that the caller sorts by; none for counts. */
  readonly order: readonly { readonly field: string }[]
}

export interface RecordContext extends HookContext {
  /** May be changed: it is what is answered. */
  readonly record: BusinessRecord
}

export interface ActionGuardContext extends HookContext {
  /** Name of the action. */
  readonly action: string
  /** `undefined` for a global call. */
  readonly record: BusinessRecord | undefined
}

/** Methods, so that those of `defineObject`, whose contexts have the types of its fields, are hooks of any object. */
type Hook<C> = { run(context: C): void | Promise<void> }['run']
type Guard<C> = { ask(context: C): boolean | Promise<boolean> }['ask']

/**
 * Functions that an object runs around its operations, in this order:
 * create: initCreate preValidate postValidate preSave preCreate postCreate postSave ·
 * update: initUpdate preValidate postValidate preSave preUpdate postUpdate postSave ·
 * delete: initDelete preDelete postDelete · get: preSelect postSelect · search: preSearch postSearchRow postSearch · count: preCount.
 * A hook stops its operation by throwing a `RestError`; everything written is undone. Guards may only restrict.
 *
 * Source: docs/spec/wire-decisions.md, "hooks of objects".
 */
export interface ObjectHooks {
  readonly initCreate?: Hook<WriteContext>
  readonly initUpdate?: Hook<WriteContext>
  readonly preValidate?: Hook<WriteContext>
  readonly postValidate?: Hook<WriteContext>
  readonly preSave?: Hook<WriteContext>
  readonly preCreate?: Hook<WriteContext>
  readonly preUpdate?: Hook<WriteContext>
  readonly postCreate?: Hook<WriteContext>
  readonly postUpdate?: Hook<WriteContext>
  readonly postSave?: Hook<WriteContext>
  readonly initDelete?: Hook<DeleteContext>
  readonly preDelete?: Hook<DeleteContext>
  readonly postDelete?: Hook<DeleteContext>
  readonly preSelect?: Hook<HookContext & { readonly rowId: string }>
  readonly postSelect?: Hook<RecordContext>
  readonly preSearch?: Hook<SearchContext>
  readonly postSearchRow?: Hook<RecordContext>
  readonly postSearch?: Hook<HookContext & { readonly count: number }>
  readonly preCount?: Hook<SearchContext>
  readonly isCreateEnable?: Guard<HookContext>
  readonly isUpdateEnable?: Guard<RecordContext>
  readonly isDeleteEnable?: Guard<RecordContext>
  readonly isActionEnable?: Guard<ActionGuardContext>
}
