import { RestError } from '../../errors.js'
import { and } from '../filter/combine.js'
import type { Filter } from '../filter/filter.js'
import { indexedText, wireText } from '../index-search/record-words.js'
import { parseIndexText } from '../index-search/parse-index-text.js'
import { sizeOf } from '../memory-limits.js'
import type { IndexModel, ObjectModel, ReadableField } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { accessOf } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { IndexHit, IndexTerm, Query } from '../store.js'
import type { BusinessObjects, CountResult, IndexRecord, IndexSearchRequest, ObjectName } from './business-objects.js'
import { inlineDocuments } from './documents.js'
import type { HookContext, SearchContext } from './hooks.js'
import { callerOf } from './caller-of.js'
import { lastPage, pageSizeOf, readFilter, readPage, runSearchHook, wantsDocuments } from './reads.js'
import { rebuildIndex } from './rebuild-index.js'
import { answerSelection } from './selections.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'

/** Records of an answer without pages. Not specified; chosen because people do not read more, and ranking keeps all of them in memory. */
const mostWithoutPages = 1_000
/** How far pages over all objects reach: each object is searched from its first record on. */
const deepestOverAll = 10_000
/** Records per page over all objects. */
export const pageSizeOverAll = 50

/** An indexed object as one user may search it. */
interface Searched {
  readonly object: ObjectModel
  readonly index: IndexModel
  readonly access: Access
  readonly rights: Filter | undefined
}

type Operation = 'preSearch' | 'preCount'

/** Records found by words, and the upkeep of what finds them. */
export function createIndexSearches(
  context: ServiceContext,
): Pick<BusinessObjects, 'indexSearch' | 'countIndex' | 'rebuildIndex'> {
  return {
    indexSearch: async (principal, name, request) =>
      name === undefined ? searchAll(principal, request) : searchOne(principal, name, request),
    countIndex,
    rebuildIndex: (name, options) => rebuildIndex(context, name, options),
  }

  async function searchOne(
    principal: Principal,
    name: ObjectName,
    request: IndexSearchRequest,
  ): Promise<readonly IndexRecord[]> {
    const searched = searchable(principal, context.resolve(name))
    const terms = readTerms(request)
    const page = readPage(request)
    const limit = request.page === undefined ? mostWithoutPages : pageSizeOf(searched.object, request)
    return find(principal, searched, terms, request, limit, request.page === undefined ? 0 : page * limit)
  }

  async function searchAll(principal: Principal, request: IndexSearchRequest): Promise<readonly IndexRecord[]> {
    refuseFieldsOverAll(request)
    const terms = readTerms(request)
    const page = readPage(request)
    const size = request.page === undefined ? mostWithoutPages : pageSizeOf({ pageSize: pageSizeOverAll }, request)
    const end = (page + 1) * size
    if (end > deepestOverAll)
      throw new RestError('ERR_BAD_REQUEST', `Pages over all objects end after ${deepestOverAll} records.`)
    const found: IndexRecord[] = []
    for (const searched of allSearchable(principal))
      found.push(...(await find(principal, searched, terms, request, end, 0)))
    // A stable sort: records of the same score stay in the order of the objects, then of their row ids.
    return found.toSorted((a, b) => b.score - a.score).slice(end - size, end)
  }

  async function countIndex(
    principal: Principal,
    name: ObjectName | undefined,
    request: IndexSearchRequest,
  ): Promise<CountResult> {
    if (name === undefined) refuseFieldsOverAll(request)
    const all = name === undefined ? allSearchable(principal) : [searchable(principal, context.resolve(name))]
    const terms = readTerms(request)
    const page = readPage(request)
    const pagesize = pageSizeOf(name === undefined ? { pageSize: pageSizeOverAll } : context.resolve(name), request)
    let count = 0
    for (const searched of all) {
      const { where, guards } = await readWhere(principal, searched, request, 'preCount')
      count += await attempt(searched.object, async () =>
        (await context.session(principal)).countIndex(searched.object, {
          terms,
          where,
          guards,
          caller: callerOf(principal, request),
        }),
      )
    }
    return { count, page, maxpage: lastPage(count, pagesize), pagesize }
  }

  /** Objects that this user may search, in the order of the model; the others are passed over. */
  function allSearchable(principal: Principal): Searched[] {
    return [...context.model.objects.values()].flatMap((object) => {
      try {
        return object.index ? [searchable(principal, object)] : []
      } catch (error) {
        if (RestError.is(error) && error.code === 'ERR_RIGHT') return []
        throw error
      }
    })
  }

  async function find(
    principal: Principal,
    searched: Searched,
    terms: readonly IndexTerm[],
    request: IndexSearchRequest,
    limit: number,
    offset: number,
  ): Promise<IndexRecord[]> {
    const { object, index, access, rights } = searched
    const answered = answerSelection(access, request)
    const keyFields = shownKey(object).filter((field) => !access.hides(field))
    const select = object.select([...new Set([...answered.fields, ...keyFields, ...index.fields].map(nameOf))])
    const { where, guards } = await readWhere(principal, searched, request, 'preSearch')
    const hits = await attempt(object, async (): Promise<readonly IndexHit[]> => {
      const session = await context.session(principal)
      const caller = callerOf(principal, request)
      return session.searchIndex(object, { select, terms, where, limit, offset, guards, caller })
    })
    const { hooks } = object.definition
    const hookBase = hookContext(object, principal)
    const asked = new Set(answered.fields.map(nameOf))
    const added = select.fields.map(nameOf).filter((name) => !asked.has(name))
    const records: IndexRecord[] = []
    for (const [at, { record, score: counted }] of hits.entries()) {
      // Databases count a word by how many rows have it, also those that this user may not know of.
      const score = rights ? 1 / (offset + at + 1) : counted
      // Before the record is used: a hook may hide what is in it.
      if (hooks?.postSearchRow) await hooks.postSearchRow({ ...hookBase, record })
      const key = keyFields.map((field) => wireText(record[field.name])).filter((text) => text !== '')
      const value = indexedText(index, record)
      for (const name of added) delete record[name]
      if (wantsDocuments(request)) await inlineDocuments(context, principal, object, record, request)
      await request.memory?.add(sizeOf(record) + value.length)
      records.push({ object: object.name, row_id: record.row_id, key: key.join(' '), value, data: record, score })
    }
    if (hooks?.postSearch) await hooks.postSearch({ ...hookBase, count: hits.length })
    return records
  }

  async function readWhere(
    principal: Principal,
    { object, access, rights }: Searched,
    request: IndexSearchRequest,
    operation: Operation,
  ): Promise<Pick<Query, 'where' | 'guards'>> {
    const hook: ((search: SearchContext) => void | Promise<void>) | undefined = object.definition.hooks?.[operation]
    const { filter, guards } = readFilter(access, request, context.clock)
    return { where: and(rights, await runSearchHook(hook, hookContext(object, principal), filter)), guards }
  }

  function hookContext(object: ObjectModel, principal: Principal): HookContext {
    const service = context.bind(context.transaction, principal)
    return { object, principal, service, knex: service.knex }
  }

  async function attempt<T>(object: ObjectModel, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
  }
}

/** @throws RestError ERR_BAD_REQUEST when it is not indexed, ERR_RIGHT */
function searchable(principal: Principal, object: ObjectModel): Searched {
  const access = accessOf(principal, object)
  const rights = access.need('R')
  const { index } = object
  if (!index) throw new RestError('ERR_BAD_REQUEST', `Object "${object.name}" has no index to search in.`)
  if (!access.searchesIndex)
    throw new RestError(
      'ERR_RIGHT',
      `You may not search the index of "${object.name}": it holds fields hidden from you.`,
    )
  return { object, index, access, rights }
}

function readTerms({ text, order, cursor }: IndexSearchRequest): readonly IndexTerm[] {
  if (order !== undefined && order.length > 0)
    throw new RestError('ERR_BAD_REQUEST', 'An index search sorts by relevance only.')
  if (cursor !== undefined)
    throw new RestError('ERR_BAD_REQUEST', 'An index search has numbered pages only, no cursor.')
  return parseIndexText(text)
}

function refuseFieldsOverAll({ expression, filters, filter, fields }: IndexSearchRequest): void {
  const given = Object.keys(filters ?? {})[0] ?? fields?.[0] ?? (filter && 'field' in filter ? filter.field : undefined)
  if (given === undefined && !filter && expression === undefined) return
  throw new RestError(
    'ERR_BAD_REQUEST',
    `A search over all objects takes no fields${given === undefined ? '' : ` (${given.slice(0, 100)})`}; search one object for that.`,
  )
}

/** Fields of the functional key; of a reference what is shown of the linked record, if anything is. */
function shownKey({ key, joined }: ObjectModel): ReadableField[] {
  return key.flatMap((field): readonly ReadableField[] => {
    const shown = joined.filter(({ path }) => path[0] === field)
    return shown.length > 0 ? shown : [field]
  })
}

function nameOf({ name }: ReadableField): string {
  return name
}
