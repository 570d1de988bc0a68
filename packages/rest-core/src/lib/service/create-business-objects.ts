import { RestError } from '../../errors.js'
import { isInColumn } from '../documents/column-content.js'
import type { DocumentStore } from '../documents/document-store.js'
import type { Model } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore } from '../store.js'
import type { StoreKnex, StoreTransaction } from '../store-types.js'
import type { BusinessObjects, JoinedTransaction, TransactionOptions } from './business-objects.js'
import { callerOf } from './caller-of.js'
import { createReads } from './reads.js'
import { CallerSession } from './caller-session.js'
import { createKeys } from './keys.js'
import { lazyKnex } from './lazy-knex.js'
import { createBatch } from './batch.js'
import { createCursors } from './cursors.js'
import { createIndexSearches } from './index-searches.js'
import { createActionRuns } from './action-runs.js'
import { createNamedCounts } from './named-counts.js'
import { createPublishing } from './publishing.js'
import { createCrosstabRuns } from './crosstabs.js'
import { createStoredDocuments } from './stored-documents.js'
import { createDryRun } from './dry-run.js'
import { createPasswordHashes } from './password-hashes.js'
import { createMetadata } from './metadata.js'
import { createOnce } from './once.js'
import { lackingObjects } from './record-change.js'
import type { Change, ServiceContext } from './service-context.js'
import { rememberSession } from './session-of.js'
import { TaskJournal, type TaskJournalListener } from './task-journal.js'
import { Tasks } from './tasks.js'
import type { TaskOptions } from './tasks.js'
import { translate } from './store-errors.js'
import { runTransaction, TransactionEnd } from './transaction.js'
import type { LazyTransaction } from './transaction.js'
import { createWrites } from './writes.js'

export interface BusinessObjectsOptions {
  readonly model: Model
  readonly store: ObjectStore
  /** Needed when the model has document or image fields. */
  readonly documents?: DocumentStore | undefined
  /** Default: the system's clock. */
  readonly clock?: (() => Date) | undefined
  /** Called for every write that a call made, after it was committed; rows that the database deleted along are not named. */
  readonly onChange?: ((change: Change) => void) | undefined
  /** How many background actions run at once, and how long they are remembered. */
  readonly tasks?: TaskOptions | undefined
  /**
   * How long a batch that is all or nothing may take, in ms, where the database has a single writer, so that all others
   * wait for it; 0: no limit. Default 4,000.
   */
  readonly batchMs?: number | undefined
  /** Called on failures that do not fail a request, e.g. a replaced document that could not be removed. Default: none. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Id of the request that is being served, for the audit trail, e.g. from an `AsyncLocalStorage`. Default: none. */
  readonly requestId?: (() => string | undefined) | undefined
}

/** The part of knex that starts transactions. */
interface TransactionSource {
  transaction<T>(work: (transaction: StoreTransaction) => Promise<T>): Promise<T>
}

/** The part of a transaction of knex that says whether it has ended. */
interface EndedTransaction {
  isCompleted(): boolean
}

/**
 * The service over a model and a store.
 *
 * @throws RestError ERR_INTERNAL, when the model has documents and there is no document store, or an audit trail or events
 * and not their system objects.
 */
export function createBusinessObjects(options: BusinessObjectsOptions): BusinessObjects {
  const { batchMs = 4_000 } = options
  const { model, store, documents, clock = () => new Date(), onChange, onError = () => {}, requestId } = options
  const [documentField] = [...model.objects.values()].flatMap(({ documents: fields }) =>
    fields.filter((field) => !isInColumn(field)),
  )
  const problems = lackingObjects(model)
  if (documentField && !documents)
    problems.unshift(
      `Field "${documentField.object.name}.${documentField.name}" needs the option "documents", a DocumentStore.`,
    )
  if (problems.length > 0) throw new RestError('ERR_INTERNAL', problems.join('\n'))
  const { durable, keepMs = 3_600_000, principalOf = async () => undefined } = options.tasks ?? {}
  const hasTasks = [...model.objects.values()].some(({ actions }) =>
    [...actions.values()].some(({ definition }) => definition.background),
  )
  const journal =
    durable && hasTasks ? new TaskJournal({ ...durable, model, store, principalOf, clock, keepMs, onError }) : undefined
  const tasks = new Tasks({ ...options.tasks, keepMs, clock, onError, journal })
  let adopt: TaskJournalListener['adopt'] | undefined
  const created = create(undefined, store)
  if (adopt) journal?.follow({ cancel: (id) => tasks.cancelOwn(id), lose: (id) => tasks.lose(id), adopt })
  return created

  function create(
    transaction: LazyTransaction | undefined,
    used: ObjectStore,
    outer?: TransactionEnd,
  ): BusinessObjects {
    const context: ServiceContext = {
      model,
      documents,
      clock,
      onChange,
      onError,
      requestId,
      tasks,
      store: used,
      transaction,
      outer,
      session: (user, own) =>
        (transaction ?? (own?.isOpen ? own : undefined))?.session() ??
        (user ? new CallerSession(used, callerOf(user)) : used),
      resolve: (object) => model.object(typeof object === 'string' ? object : object.name),
      bind: (other, user) => (other !== transaction ? create(other, used, outer) : user ? serviceOf(user) : service),
    }
    const { adoptTask, ...actionRuns } = createActionRuns(context)
    adopt ??= adoptTask
    const service: BusinessObjects = {
      model,
      ...createReads(context),
      ...createWrites(context),
      ...createKeys(context),
      ...createBatch(context, batchMs),
      ...createPasswordHashes(context),
      ...createCursors(context),
      ...createIndexSearches(context),
      ...actionRuns,
      ...createNamedCounts(context),
      ...createPublishing(context),
      ...createCrosstabRuns(context),
      ...createStoredDocuments(context),
      ...createMetadata(context),
      ...createDryRun(context),
      ...createOnce(context),
      transaction: inTransaction,
      withTransaction,
      within,
      knex: lazyKnex(makeKnex),
      openTasks: () => tasks.open,
      close: () => tasks.close(),
    }
    rememberSession(service, context)
    const services = new WeakMap<Principal, BusinessObjects>()
    return service

    /** What code of the application gets, which need not say whose its transactions are. */
    function serviceOf(user: Principal): BusinessObjects {
      if (transaction) return service
      let own = services.get(user)
      if (own) return own
      own = {
        ...service,
        transaction: (work, options) => inTransaction(work, { ...options, principal: options?.principal ?? user }),
        dryRun: (work, options) => service.dryRun(work, { ...options, principal: options?.principal ?? user }),
      }
      rememberSession(own, context)
      services.set(user, own)
      return own
    }

    async function inTransaction<T>(
      work: (service: BusinessObjects) => Promise<T>,
      { principal, signal, ...options }: TransactionOptions = {},
    ): Promise<T> {
      if (transaction) return work(service)
      try {
        return await runTransaction(context, (own) => work(create(own, used, outer)), {
          ...options,
          caller: principal && callerOf(principal, { signal }),
        })
      } catch (error) {
        throw await translate(error, undefined, used)
      }
    }

    function makeKnex(): StoreKnex {
      if (!used.knex || !used.knexWithin)
        throw new RestError('ERR_INTERNAL', `The store "${store.capabilities.name}" does not stand on knex.`)
      if (!transaction) return used.knex
      return used.knexWithin(async () => {
        const session = await transaction.session()
        if (session.lend) return session.lend()
        throw new RestError('ERR_INTERNAL', `A session of the store "${store.capabilities.name}" lends no connection.`)
      })
    }

    function within(joined: StoreTransaction): JoinedTransaction {
      if (transaction || outer)
        throw new RestError('ERR_BAD_REQUEST', 'A service within a transaction cannot join another one.')
      if (!store.within)
        throw new RestError('ERR_INTERNAL', `The store "${store.capabilities.name}" cannot join a transaction.`)
      const end = new TransactionEnd(onError)
      return {
        service: create(undefined, store.within(joined), end),
        committed: () => end.committed(),
        rolledBack: () => end.rolledBack(),
      }
    }

    async function withTransaction<T>(
      knex: StoreKnex,
      work: (service: BusinessObjects, transaction: StoreTransaction) => Promise<T>,
    ): Promise<T> {
      let joined: JoinedTransaction | undefined
      let isCommitting = false
      let isUndone = false
      try {
        const result = await (knex as TransactionSource).transaction(async (trx) => {
          joined = within(trx)
          try {
            const given = await work(joined.service, trx)
            isCommitting = !(trx as EndedTransaction).isCompleted()
            return given
          } finally {
            isUndone = !isCommitting && !(trx as EndedTransaction).isCompleted()
          }
        })
        if (!isCommitting)
          throw new RestError('ERR_INTERNAL', 'The work of withTransaction() may not end the transaction itself.')
        await joined?.committed()
        return result
      } catch (error) {
        // After a commit that failed, it is not known.
        if (isUndone) await joined?.rolledBack()
        throw error
      }
    }
  }
}
