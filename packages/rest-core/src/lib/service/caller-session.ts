import type { Caller } from '../caller.js'
import type {
  AggregateQuery,
  AggregateRow,
  CountOptions,
  IndexHit,
  IndexQuery,
  ObjectStore,
  Query,
  ReadOptions,
  StoreSession,
  UpdateRowOptions,
  Values,
} from '../store.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel, Selection } from '../model/model.js'

/** The store as one user uses it: every statement counts as that user's. */
export class CallerSession implements StoreSession {
  readonly #store: ObjectStore
  readonly #caller: Caller

  constructor(store: ObjectStore, caller: Caller) {
    this.#store = store
    this.#caller = caller
  }

  get(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord | undefined> {
    return this.#store.get(object, rowId, this.#with(options))
  }

  search(object: ObjectModel, query: Query): AsyncIterable<readonly BusinessRecord[]> {
    return this.#store.search(object, this.#with(query))
  }

  count(object: ObjectModel, where?: Filter, options: CountOptions = {}): Promise<number> {
    return this.#store.count(object, where, this.#with(options))
  }

  aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]> {
    return this.#store.aggregate(object, this.#with(query))
  }

  searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]> {
    return this.#store.searchIndex(object, this.#with(query))
  }

  countIndex(object: ObjectModel, query: Pick<IndexQuery, 'terms' | 'where' | 'guards' | 'caller'>): Promise<number> {
    return this.#store.countIndex(object, this.#with(query))
  }

  insert(object: ObjectModel, values: Values, select: Selection): Promise<BusinessRecord> {
    return this.#store.insert(object, values, select, this.#caller)
  }

  update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: UpdateRowOptions,
  ): Promise<BusinessRecord | undefined> {
    return this.#store.update(object, rowId, values, this.#with(options))
  }

  delete(object: ObjectModel, rowId: string, where?: Filter): Promise<boolean> {
    return this.#store.delete(object, rowId, where, this.#caller)
  }

  #with<T extends { readonly caller?: Caller | undefined }>(options: T): T {
    return options.caller ? options : { ...options, caller: this.#caller }
  }
}
