import type { DocumentStore } from '../documents/document-store.js'
import type { Model, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore, StoreSession } from '../store.js'
import type { BusinessObjects, ObjectName } from './business-objects.js'
import type { Tasks } from './tasks.js'
import type { LazyTransaction, TransactionEnd } from './transaction.js'

/** A write that was committed. */
export interface Change {
  readonly object: ObjectModel
  readonly operation: 'create' | 'update' | 'delete'
  readonly rowId: string
}

/** What reads and writes share: the parts of the service, and the session they work in. */
export interface ServiceContext {
  readonly model: Model
  readonly documents: DocumentStore | undefined
  readonly clock: () => Date
  readonly onChange: ((change: Change) => void) | undefined
  readonly onError: (error: unknown) => void
  /** Id of the request that is being served, for the audit trail. */
  readonly requestId: (() => string | undefined) | undefined
  /** Background actions; also reports when the service closes. */
  readonly tasks: Tasks
  /** For look-ups outside any transaction. */
  readonly store: ObjectStore
  /** The transaction that this service is bound to; absent: every request has its own. */
  readonly transaction: LazyTransaction | undefined
  /** The end of the transaction that the application started, when this service has joined one. */
  readonly outer: TransactionEnd | undefined
  /**
   * Where reads and writes go: the bound transaction, or a request's own one when it is open, else the store.
   *
   * @param user Whose statements they are; undefined: those of no user.
   */
  session(user: Principal | undefined, own?: LazyTransaction): StoreSession | Promise<StoreSession>
  resolve(object: ObjectName): ObjectModel
  /**
   * This service inside a transaction, or, without one, outside.
   *
   * @param user Whose the transactions are that are opened by it without a principal. Default: those of no user.
   */
  bind(transaction: LazyTransaction | undefined, user?: Principal): BusinessObjects
}
