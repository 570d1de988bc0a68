import type { Route } from '@steward/rest-core'
import type { RestRoute, View } from './address.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import { pathForms } from './named-target.js'
import { operationsOf } from './method.js'
import { parameters } from './parameters.js'

interface ViewRoute extends RestRoute {
  readonly kind: 'view'
  readonly view: View
  readonly operation: Route['operation']
}

/** A row that may be missing, or empty. */
const anyRow = '{/{:row_id}}'
const anySlash = '{/}'

/** Every address, the general ones first; the router tries them from the last one on. */
export const routes: readonly (RestRoute | ViewRoute)[] = [
  { name: 'info', kind: 'info', path: '/' },
  { name: 'object', kind: 'object', path: `/:object${anySlash}` },
  { name: 'row', kind: 'row', path: '/:object/:row_id' },
  { name: 'key', kind: 'key', path: '/:object/_key/:key' },
  { name: 'batch', kind: 'batch', path: '/:object/_batch' },
  { name: 'search', kind: 'query', path: '/:object/_search' },
  { name: 'index', kind: 'index', path: `/_index${anySlash}` },
  { name: 'objectIndex', kind: 'index', path: '/:object/_index' },
  { name: 'action', kind: 'action', path: `/:object${anyRow}/action\\::name` },
  { name: 'publication', kind: 'publication', path: `/:object${anyRow}/publication\\::name` },
  { name: 'document', kind: 'document', path: '/:object/:row_id/_document/:field' },
  { name: 'thumbnail', kind: 'thumbnail', path: '/:object/:row_id/_thumbnail/:field' },
  { name: 'task', kind: 'task', path: '/_task/:id' },
  { name: 'documentation', kind: 'view', path: `/_doc${anySlash}`, view: '_doc', operation: 'documentation' },
  { name: 'count', kind: 'view', path: '/:object/_count', view: '_count', operation: 'search' },
  { name: 'metadata', kind: 'view', path: `/:object${anyRow}/_metadata`, view: '_metadata', operation: 'metadata' },
  { name: 'objectDocumentation', kind: 'view', path: '/:object/_doc', view: '_doc', operation: 'documentation' },
  { name: 'crosstab', kind: 'view', path: '/:object/crosstab\\::name', view: '_crosstab', operation: 'crosstab' },
]

/** The parameter that came with an operation decides on the level of its addresses, too. */
const cameWith: Readonly<Partial<Record<Route['operation'], string>>> = { indexSearch: '_indexsearch' }

/** Below the level of their addresses, the parameters that hold the names. */
const byParameter: readonly Route[] = (['', '/{row_id}'] as const).flatMap((row) => [
  { path: `/{object}${row}?_action={name}`, method: 'GET', operation: 'action' },
  { path: `/{object}${row}?_action={name}`, method: 'POST', operation: 'action' },
  { path: `/{object}${row}?_printtemplate={name}`, method: 'GET', operation: 'publication' },
])

const crosstabByParameter: Route = { path: '/{object}?_crosstab={name}', method: 'GET', operation: 'crosstab' }

/** Every address and method that a level has, for the documentation. HEAD is there wherever GET is. */
export function routesAt(level: Level): Route[] {
  const named = hasLevel(level, pathForms)
  const all = [...byKind().flatMap(addressesOf), ...routes.filter(isView).flatMap(viewsOf)]
  return [
    ...all.filter(({ path }) => named || !path.includes(':{name}')),
    ...(named ? [] : [...byParameter, crosstabByParameter]),
  ].filter(({ operation, view }) => hasLevel(level, parameters[view ?? cameWith[operation] ?? '']?.since ?? '3.0'))
}

function byKind(): (readonly RestRoute[])[] {
  return [
    ...Map.groupBy(
      routes.filter((route) => !isView(route)),
      ({ kind }) => kind,
    ).values(),
  ]
}

function addressesOf(group: readonly RestRoute[]): Route[] {
  const [first] = group
  const paths = group.flatMap(({ path }) => documented(path))
  return Object.entries(first ? operationsOf(first.kind) : {})
    .filter(([method]) => method !== 'HEAD')
    .flatMap(([method, operation]) => paths.map((path) => ({ path, method, operation }))) as Route[]
}

function viewsOf({ path, view, operation }: ViewRoute): Route[] {
  return documented(path).map((each) => ({ path: each, view, operation, method: 'GET' }))
}

function isView(route: RestRoute): route is ViewRoute {
  return route.kind === 'view'
}

/** Addresses with `{name}` for what varies. */
function documented(path: string): string[] {
  const plain = path.replace(anySlash, '')
  const forms = plain.includes(anyRow) ? [plain.replace(anyRow, ''), plain.replace(anyRow, '/:row_id')] : [plain]
  return forms.map((form) => form.replaceAll(/(?<!\\):(\w+)/g, '{$1}').replaceAll('\\', ''))
}
