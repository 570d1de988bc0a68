import type { Route } from '@steward/rest-core'
import type { Target, View } from './address.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import { pathForms } from './named-target.js'
import { operationsOf } from './method.js'
import { parameters } from './parameters.js'

/** Addresses below the base, with names for what varies, by kind. */
const paths: Readonly<Record<Exclude<Target['kind'], 'none' | 'view'>, readonly string[]>> = {
  info: ['/'],
  object: ['/{object}'],
  row: ['/{object}/{row_id}'],
  key: ['/{object}/_key/{key}'],
  batch: ['/{object}/_batch'],
  query: ['/{object}/_search'],
  index: ['/_index', '/{object}/_index'],
  action: ['/{object}/action:{name}', '/{object}/{row_id}/action:{name}'],
  publication: ['/{object}/publication:{name}', '/{object}/{row_id}/publication:{name}'],
  document: ['/{object}/{row_id}/_document/{field}'],
  thumbnail: ['/{object}/{row_id}/_thumbnail/{field}'],
  task: ['/_task/{id}'],
}

const views: readonly { readonly path: string; readonly view: View; readonly operation: Route['operation'] }[] = [
  { path: '/_doc', view: '_doc', operation: 'documentation' },
  { path: '/{object}/_count', view: '_count', operation: 'search' },
  { path: '/{object}/_metadata', view: '_metadata', operation: 'metadata' },
  { path: '/{object}/{row_id}/_metadata', view: '_metadata', operation: 'metadata' },
  { path: '/{object}/_doc', view: '_doc', operation: 'documentation' },
  { path: '/{object}/crosstab:{name}', view: '_crosstab', operation: 'crosstab' },
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
  const targets = Object.entries(paths).flatMap(([kind, addresses]) =>
    Object.entries(operationsOf(kind as Target['kind'])).flatMap(([method, operation]) =>
      addresses.map((path) => ({ path, method, operation })),
    ),
  ) as Route[]
  const named = hasLevel(level, pathForms)
  return [
    ...targets.filter(({ method, path }) => (method as string) !== 'HEAD' && (named || !path.includes(':{name}'))),
    ...views
      .map((view) => ({ ...view, method: 'GET' as const }))
      .filter(({ path }) => named || !path.includes(':{name}')),
    ...(named ? [] : [...byParameter, crosstabByParameter]),
  ].filter(({ operation, view }) => hasLevel(level, parameters[view ?? cameWith[operation] ?? '']?.since ?? '3.0'))
}
