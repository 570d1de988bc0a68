import { RestError } from '../../errors.js'
import { accessOf } from '../rights/access.js'
import { letterOf } from '../rights/create-rights.js'
import type { Principal } from '../rights/rights.js'
import { narrowed } from './action-runs.js'
import type { BusinessObjects, CountResult, ObjectName, SearchRequest } from './business-objects.js'
import { checkScope } from './scope.js'
import type { ServiceContext } from './service-context.js'

const titles = { actions: 'Action', publications: 'Publication' } as const

/** How many records a global action or publication would be about. */
export function createNamedCounts(context: ServiceContext): Pick<BusinessObjects, 'countFor'> {
  return { countFor }

  async function countFor(
    principal: Principal,
    name: ObjectName,
    kind: 'actions' | 'publications',
    named: string,
    search: SearchRequest = {},
  ): Promise<CountResult> {
    const object = context.resolve(name)
    const access = accessOf(principal, object)
    const where = access.need(letterOf[kind])
    const title = `${titles[kind]} "${named.slice(0, 100)}"`
    const found = object[kind].get(named)
    if (!found) throw RestError.notFound(`${title} of "${object.name}"`)
    if (!access.allows(kind, named)) throw new RestError('ERR_RIGHT', `You may not use ${title} of "${object.name}".`)
    checkScope(title, found.scope, object, undefined)
    const reader = where ? { ...principal, rights: narrowed(principal.rights, object, where) } : principal
    return context.bind(context.transaction).count(reader, object.name, search)
  }
}
