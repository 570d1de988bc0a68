import type { ObjectDefinition, RecordOf } from '../definition/definition.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model, Order } from '../model/model.js'
import type { Principal } from '../rights/rights.js'

/** An object by its name, or by its definition, which also types the records. */
export type ObjectName = string | ObjectDefinition

export type RecordFor<O extends ObjectName> = O extends ObjectDefinition ? RecordOf<O> : BusinessRecord

/** What an answer holds beyond the default. */
export interface AnswerOptions {
  /** Only these fields (and `row_id`). */
  readonly fields?: readonly string[] | undefined
  /** Add created_dt, created_by, updated_dt, updated_by. Default false. */
  readonly timestamps?: boolean | undefined
  /** Contents of document and image fields in place of their ids: all, or these fields. Default none. */
  readonly inlineDocuments?: true | readonly string[] | undefined
  /** The same for thumbnails of image fields. */
  readonly inlineThumbnails?: true | readonly string[] | undefined
}

export interface SearchRequest extends AnswerOptions {
  /** Texts by field name in the filter language: all must hold; several texts of one field: one of them. */
  readonly filters?: FilterTexts | undefined
  /** A parsed filter, from code; holds as well as `filters`. Never made of a client's input. */
  readonly filter?: Filter | undefined
  /** Default: the object's. The row id is added at the end. */
  readonly order?: readonly Order[] | undefined
  /** 0-based; absent: all records. */
  readonly page?: number | undefined
  /** Records per page, 1 to 1,000. Default: the object's. */
  readonly pageSize?: number | undefined
}

/** Texts by field name, also bounds `dmin__f dmax__f nmin__f nmax__f`. */
export type FilterTexts = { readonly [name: string]: string | readonly string[] }

export interface CountResult {
  readonly count: number
  readonly page: number
  /** 0-based number of the last page; number of pages = maxpage + 1. */
  readonly maxpage: number
  readonly pagesize: number
}

export interface UpdateOptions extends AnswerOptions {
  /** Refused with ERR_PRECONDITION unless it is true for the record as this user would get it now. */
  readonly precondition?: ((record: BusinessRecord) => boolean) | undefined
}

/**
 * The service: rights, validation, rules and hooks around an ObjectStore. All methods throw `RestError`.
 * Source: rest-service.md, "Endpoints".
 */
export interface BusinessObjects {
  readonly model: Model
  /** Creates a record. `values` is what a client sent: field names to JSON values; joined, read-only fields and `row_id` are ignored. */
  create<O extends ObjectName>(
    principal: Principal,
    object: O,
    values: unknown,
    options?: AnswerOptions,
  ): Promise<RecordFor<O>>
  /** @throws RestError ERR_NOT_FOUND */
  get<O extends ObjectName>(
    principal: Principal,
    object: O,
    rowId: string,
    options?: AnswerOptions,
  ): Promise<RecordFor<O>>
  /** Changes the given fields. @throws RestError ERR_NOT_FOUND, ERR_VALIDATION, ERR_CONFLICT, ERR_PRECONDITION */
  update<O extends ObjectName>(
    principal: Principal,
    object: O,
    rowId: string,
    values: unknown,
    options?: UpdateOptions,
  ): Promise<RecordFor<O>>
  /** @throws RestError ERR_NOT_FOUND, ERR_CONFLICT when other records refer to it */
  delete(
    principal: Principal,
    object: ObjectName,
    rowId: string,
    options?: Pick<UpdateOptions, 'precondition'>,
  ): Promise<{ row_id: string }>
  /** Matching records in batches; without `page` all of them, streamed. Errors of the request are thrown by the call itself, before any row. */
  search<O extends ObjectName>(
    principal: Principal,
    object: O,
    request?: SearchRequest,
  ): Promise<AsyncIterable<readonly RecordFor<O>[]>>
  count(principal: Principal, object: ObjectName, request?: SearchRequest): Promise<CountResult>
  /**
   * Runs several calls as one transaction: all are kept when `work` resolves, none when it rejects. Inside it, use the
   * given service; on a bound service (in a hook) it takes part in the running transaction.
   */
  transaction<T>(work: (service: BusinessObjects) => Promise<T>): Promise<T>
}
