import { RestError } from '../../errors.js'
import { and } from '../filter/combine.js'
import type { Filter } from '../filter/filter.js'
import { parseFilters } from '../filter/parse.js'
import { batchBytes, sizeOf } from '../memory-limits.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import type { Access } from '../rights/access.js'
import { asSeen } from '../rights/links.js'
import type { Principal } from '../rights/rights.js'
import type { Guard, ReadOptions } from '../store.js'
import type {
  AnswerOptions,
  BusinessObjects,
  CountResult,
  GetOptions,
  ObjectName,
  SearchRequest,
} from './business-objects.js'
import { cursorOrder, decodeCursor } from './cursor-text.js'
import { searchFrom } from './cursors.js'
import { readOrder } from './read-order.js'
import { answerSelection, parseRowId } from './selections.js'
import { callerOf } from './caller-of.js'
import type { ServiceContext } from './service-context.js'
import { inlineDocuments } from './documents.js'
import type { HookContext, SearchContext } from './hooks.js'
import { translate } from './store-errors.js'

/** Most records of a page. Not specified; chosen because larger answers are better streamed. */
const mostPerPage = 1000

/** The records that they answer have the types that callers see by the object's definition. */
export function createReads(context: ServiceContext): Pick<BusinessObjects, 'get' | 'search' | 'count'> {
  return { get: get as BusinessObjects['get'], search: search as BusinessObjects['search'], count }

  async function get(
    principal: Principal,
    name: ObjectName,
    rowId: string,
    options?: GetOptions,
  ): Promise<BusinessRecord> {
    const object = context.resolve(name)
    if (options?.lock && !context.transaction) throw lockOutside(object)
    const access = accessOf(principal, object)
    const where = access.need('R')
    const id = parseRowId(object, rowId)
    const { hooks } = object.definition
    if (hooks?.preSelect) await hooks.preSelect({ ...hookContext(object, principal), rowId: id })
    const select = answerSelection(access, options)
    const guards = options?.fields ? access.guardsFor(options.fields) : access.guards
    const caller = callerOf(principal)
    const record = await read(object, id, { select, where, guards, lock: options?.lock, caller })
    if (hooks?.postSelect) await hooks.postSelect({ ...hookContext(object, principal), record })
    if (options && wantsDocuments(options)) await inlineDocuments(context, principal, object, record, options)
    return record
  }

  /** @param options also say whose request it is */
  async function read(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord> {
    let record
    try {
      const session = await context.session(undefined)
      record = await session.get(object, rowId, options)
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
    if (!record) throw RestError.notFound(`Record "${rowId}" of "${object.name}"`)
    return record
  }

  async function search(
    principal: Principal,
    name: ObjectName,
    request: SearchRequest = {},
  ): Promise<AsyncIterable<readonly BusinessRecord[]>> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const rights = access.need('R')
    const select = answerSelection(access, request)
    const { cursor } = request
    const order = cursor === undefined ? readOrder(access, request.order) : cursorOrder(access, request.order)
    const place = cursor ? decodeCursor(object, order, cursor) : undefined
    const paged = cursor !== undefined || request.page !== undefined
    const limit = paged ? pageSizeOf(object, request) : undefined
    const page = readPage(request)
    const { filter, guards } = readFilter(access, request, context.clock)
    const where = and(
      rights,
      await runSearchHook(object.definition.hooks?.preSearch, hookContext(object, principal), filter, request.order),
    )
    const session = await context.session(undefined)
    const query = { select, where, order, guards, caller: callerOf(principal, request) }
    const batches = translated(
      cursor !== undefined && limit !== undefined
        ? searchFrom(session, object, { ...query, limit }, place)
        : session.search(object, { ...query, limit, offset: limit === undefined ? 0 : page * limit }),
      object,
    )
    return needsRows(object, request) ? finishRows(batches, object, principal, request) : batches
  }

  async function count(principal: Principal, name: ObjectName, request: SearchRequest = {}): Promise<CountResult> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const rights = access.need('R')
    const pagesize = pageSizeOf(object, request)
    const page = wholeNumber('page', request.page ?? 0, 0, Number.MAX_SAFE_INTEGER)
    const { filter, guards } = readFilter(access, request, context.clock)
    const where = and(
      rights,
      await runSearchHook(object.definition.hooks?.preCount, hookContext(object, principal), filter),
    )
    try {
      const options = { guards, caller: callerOf(principal, request) }
      const count = await (await context.session(undefined)).count(object, where, options)
      return { count, page, maxpage: lastPage(count, pagesize), pagesize }
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
  }

  async function* translated(
    batches: AsyncIterable<readonly BusinessRecord[]>,
    object: ObjectModel,
  ): AsyncGenerator<readonly BusinessRecord[]> {
    try {
      yield* batches
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
  }

  async function* finishRows(
    batches: AsyncIterable<readonly BusinessRecord[]>,
    object: ObjectModel,
    principal: Principal,
    request: SearchRequest,
  ): AsyncGenerator<readonly BusinessRecord[]> {
    const { hooks } = object.definition
    const hookBase = hookContext(object, principal)
    let count = 0
    for await (const batch of batches) {
      count += batch.length
      if (wantsDocuments(request)) {
        yield* withDocuments(batch)
        continue
      }
      if (hooks?.postSearchRow) for (const record of batch) await hooks.postSearchRow({ ...hookBase, record })
      yield batch
    }
    if (hooks?.postSearch) await hooks.postSearch({ ...hookBase, count })

    /** Contents make records large: as many of them as are a batch. */
    async function* withDocuments(batch: readonly BusinessRecord[]): AsyncGenerator<readonly BusinessRecord[]> {
      let some: BusinessRecord[] = []
      let bytes = 0
      for (const record of batch) {
        if (hooks?.postSearchRow) await hooks.postSearchRow({ ...hookBase, record })
        await inlineDocuments(context, principal, object, record, request)
        some.push(record)
        bytes += sizeOf(record)
        if (bytes < batchBytes) continue
        yield some
        some = []
        bytes = 0
      }
      if (some.length > 0) yield some
    }
  }

  function hookContext(object: ObjectModel, principal: Principal): HookContext {
    const service = context.bind(context.transaction, principal)
    return { object, principal, service, knex: service.knex }
  }
}

function lockOutside({ name }: ObjectModel): RestError {
  return new RestError(
    'ERR_INTERNAL',
    `A record of "${name}" can be locked in a transaction only, at whose end the lock ends. Call get() on the service that service.transaction(), a hook of a write or a direct action gives.`,
  )
}

/** The condition of a search after its hook. */
export async function runSearchHook(
  hook: ((search: SearchContext) => void | Promise<void>) | undefined,
  context: HookContext,
  where: Filter | undefined,
  order: SearchContext['order'] = [],
): Promise<Filter | undefined> {
  if (!hook) return where
  const search: SearchContext = { ...context, where, order }
  await hook(search)
  return search.where
}

/** Whether a search would be refused, without searching. @throws RestError as the search */
export function checkSearch(access: Access, request: SearchRequest): void {
  readFilter(access, request)
  readOrder(access, request.order)
  readPage(request)
  pageSizeOf(access.object, request)
}

/** The filters of a request, and which linked records its user may see by it. */
export interface ReadFilter {
  /** Sees no more of linked records than the user. */
  readonly filter: Filter | undefined
  /** For a query of all that the request asks for. */
  readonly guards: readonly Guard[] | undefined
}

/**
 * The filters of a request, checked.
 *
 * @param now The clock of relative dates. Default: the system's.
 * @param others Fields that the query needs besides those that the request names.
 * @throws RestError
 */
export function readFilter(
  access: Access,
  { expression, fields, filter, filters, order }: SearchRequest,
  now?: () => Date,
  others: readonly string[] = [],
): ReadFilter {
  const isParsed = filters !== undefined || expression !== undefined
  const all = and(
    isParsed ? parseFilters(access.object, { filters, expression }, { hides: access.hides, now }) : undefined,
    filter,
  )
  if (!all && !fields && !order && others.length === 0) return { filter: undefined, guards: access.guards }
  const names = new Set([...(fields ?? []), ...others])
  for (const { field } of order ?? []) names.add(field)
  if (all) addFields(access, all, names)
  const guards = access.guardsFor(names)
  return { filter: all && asSeen(all, { guards }), guards }
}

function addFields(access: Access, filter: Filter, names: Set<string>): void {
  if ('terms' in filter) for (const term of filter.terms) addFields(access, term, names)
  else names.add(access.readable(filter.field).name)
}

/** The number of the page, 0 when none is asked for. @throws RestError ERR_BAD_REQUEST */
export function readPage({ page, cursor }: SearchRequest): number {
  if (page === undefined) return 0
  if (cursor !== undefined) throw new RestError('ERR_BAD_REQUEST', 'Use either a cursor or page numbers, not both.')
  return wholeNumber('page', page, 0, Number.MAX_SAFE_INTEGER)
}

/** Records per page. @throws RestError ERR_BAD_REQUEST */
export function pageSizeOf(object: Pick<ObjectModel, 'pageSize'>, { pageSize }: SearchRequest): number {
  return pageSize === undefined ? object.pageSize : wholeNumber('page size', pageSize, 1, mostPerPage)
}

/** Number of the last page, from 0 on. */
export function lastPage(count: number, pageSize: number): number {
  return Math.max(0, Math.ceil(count / pageSize) - 1)
}

function wholeNumber(what: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RestError('ERR_BAD_REQUEST', `The ${what} must be a whole number from ${least} to ${most}.`)
}

function needsRows(object: ObjectModel, request: SearchRequest): boolean {
  const { hooks } = object.definition
  return hooks?.postSearchRow !== undefined || hooks?.postSearch !== undefined || wantsDocuments(request)
}

export function wantsDocuments(options: AnswerOptions): boolean {
  return options.inlineDocuments !== undefined || options.inlineThumbnails !== undefined
}
