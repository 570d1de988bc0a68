import { RestError } from '../../errors.js'
import { computeCrosstab, crosstabQuery, pageOfCrosstab } from '../crosstabs/compute-crosstab.js'
import type { Crosstab, CrosstabModel } from '../crosstabs/crosstab.js'
import { mostCells, tooManyCells } from '../crosstabs/crosstab-forms.js'
import { and } from '../filter/combine.js'
import { usableCrosstabs } from '../metadata/usable.js'
import type { AggregateQuery, AggregateRow } from '../store.js'
import { accessOf } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects, CountResult, ObjectName, SearchRequest } from './business-objects.js'
import { callerOf } from './caller-of.js'
import { lastPage, pageSizeOf, readFilter, readPage, runSearchHook } from './reads.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'

/** The pivot table without what is not needed to count its lines. */
function linesOf(model: CrosstabModel): CrosstabModel {
  return { ...model, columns: [], values: [] }
}

/** Pivot tables: one GROUP BY of the store over the records that a search would find. */
export function createCrosstabRuns(context: ServiceContext): Pick<BusinessObjects, 'crosstab' | 'countCrosstab'> {
  return { crosstab, countCrosstab }

  async function crosstab(
    principal: Principal,
    objectName: ObjectName,
    name: string,
    request: SearchRequest = {},
  ): Promise<Crosstab> {
    const page = readPage(request)
    const size = pageSizeOf(context.resolve(objectName), request)
    const computed = await compute(principal, objectName, name, request)
    return request.page === undefined ? computed : pageOfCrosstab(computed, page, size)
  }

  async function countCrosstab(
    principal: Principal,
    objectName: ObjectName,
    name: string,
    request: SearchRequest = {},
  ): Promise<CountResult> {
    const page = readPage(request)
    const pagesize = pageSizeOf(context.resolve(objectName), request)
    const { lineCount: count } = await compute(principal, objectName, name, { ...request, order: undefined }, linesOf)
    return { count, page, maxpage: lastPage(count, pagesize), pagesize }
  }

  async function compute(
    principal: Principal,
    objectName: ObjectName,
    name: string,
    { order, ...request }: SearchRequest,
    partOf = (whole: CrosstabModel): CrosstabModel => whole,
  ): Promise<Crosstab> {
    const object = context.resolve(objectName)
    const access = accessOf(principal, object)
    const rights = access.need('R')
    const model = usableCrosstabs(access).find((usable) => usable.name === name)
    if (!model) throw RestError.notFound(`Pivot table "${name}" of "${object.name}"`)
    const service = context.bind(context.transaction, principal)
    const hookContext = { object, principal, service, knex: service.knex }
    const query = crosstabQuery(model)
    const used = [...query.groups, ...query.values].flatMap(({ field }) => field ?? [])
    const { filter, guards } = readFilter(access, request, context.clock, used)
    const where = and(rights, await runSearchHook(object.definition.hooks?.preSearch, hookContext, filter))
    const caller = callerOf(principal, request)
    const part = partOf(model)
    const rows = await group({ ...crosstabQuery(part), where, limit: mostCells + 1, guards, caller })
    if (rows.length > mostCells) throw tooManyCells(model)
    return computeCrosstab(part, rows, order)

    async function group(query: AggregateQuery): Promise<readonly AggregateRow[]> {
      try {
        return await (await context.session(principal)).aggregate(object, query)
      } catch (error) {
        throw await translate(error, { object, operation: 'read' }, context.store)
      }
    }
  }
}
