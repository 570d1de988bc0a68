import { clientModule, curlCommand, type SignedInBy } from '@steward/page-kit/call-code'
import type { BuiltRequest } from './build-request.js'
import type { Draft } from './draft.js'

export interface CopyAs {
  readonly id: 'curl' | 'fetch' | 'client'
  readonly label: string
  readonly text: string
}

/** The same request in other forms. None holds a secret: a password or token is taken from a variable. */
export function copiesOf(request: BuiltRequest, draft: Draft, by: SignedInBy, rest: string): readonly CopyAs[] {
  const call = clientCall(draft)
  return [
    { id: 'curl', label: 'curl', text: curlCommand(request, by) },
    { id: 'fetch', label: 'fetch', text: fetchCode(request, by) },
    ...(call === undefined
      ? []
      : [{ id: 'client', label: 'rest-client', text: clientModule(rest, by, call) } as const]),
  ]
}

/** A module that sends it with `fetch`. */
function fetchCode({ method, url, headers, body }: BuiltRequest, by: SignedInBy): string {
  const authorization = authorizationCode(by)
  const lines = [
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(authorization === undefined ? [] : [`Authorization: ${authorization},`]),
  ]
  const content =
    typeof body === 'string' ? JSON.stringify(body) : body && `await openAsBlob(${JSON.stringify(body.name)})`
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(lines.length === 0 ? [] : ['  headers: {', ...lines.map((line) => `    ${line}`), '  },']),
    ...(content === undefined ? [] : [`  body: ${content},`]),
  ]
  return [
    ...(typeof body === 'object' ? [`import { openAsBlob } from 'node:fs'`, ''] : []),
    options.length === 0
      ? `const response = await fetch(${JSON.stringify(url)})`
      : `const response = await fetch(${JSON.stringify(url)}, {\n${options.join('\n')}\n})`,
  ].join('\n')
}

function authorizationCode(by: SignedInBy): string | undefined {
  if (by.kind === 'token') return '`Bearer ${process.env.TOKEN}`'
  if (by.kind === 'password') return `\`Basic \${btoa(${JSON.stringify(`${by.login}:`)} + process.env.PASSWORD)}\``
  return undefined
}

/** What the client has no method for: undefined. */
function clientCall(draft: Draft): string | undefined {
  if (draft.object === '') return undefined
  const object = `client.object(${JSON.stringify(draft.object)})`
  const row = JSON.stringify(draft.rowId)
  const body = draft.body.trim() === '' ? '{}' : draft.body.trim()
  const options = optionsText(draft)
  switch (draft.operation) {
    case 'search':
      return `for await (const record of ${object}.search(${options})) console.log(record)`
    case 'page':
      return `const { records, cursor } = await ${object}.page(${options})`
    case 'count':
      return `const { count } = await ${object}.count(${JSON.stringify(filtersOf(draft))})`
    case 'get':
      return `const record = await ${object}.get(${row})`
    case 'create':
      return `const record = await ${object}.create(${body})`
    case 'update':
      return `const record = await ${object}.update(${row}, ${body})`
    case 'delete':
      return `await ${object}.delete(${row})`
    case 'crosstab':
      return `const pivot = await ${object}.crosstab(${JSON.stringify(draft.crosstab)}, ${JSON.stringify(filtersOf(draft))})`
    default:
      return undefined
  }
}

function filtersOf({ filters }: Draft): Record<string, string> {
  return Object.fromEntries(
    filters.filter(({ field, value }) => field !== '' && value !== '').map(({ field, value }) => [field, value]),
  )
}

/** Without empty ones. */
function optionsText(draft: Draft): string {
  const filters = filtersOf(draft)
  const options = {
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(draft.condition.trim() !== '' && { filter: draft.condition.trim() }),
    ...(draft.order.trim() !== '' && { order: draft.order.split(',').map((each) => each.trim()) }),
    ...(draft.fields.length > 0 && { fields: draft.fields }),
    ...(draft.operation === 'page' && draft.cursor !== undefined && { cursor: draft.cursor }),
    ...(draft.operation === 'page' && draft.cursor === undefined && { page: Number(draft.page || 0) }),
    ...(draft.operation === 'page' && draft.pageSize !== '' && { pageSize: Number(draft.pageSize) }),
  }
  return Object.keys(options).length === 0 ? '' : JSON.stringify(options)
}
