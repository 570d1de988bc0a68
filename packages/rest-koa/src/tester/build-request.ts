import type { Draft } from './draft.js'
import { hasLevel, operationOf } from './operations.js'
import type { Part } from './operations.js'

/** A request as it is sent and shown; credentials are not part of it. */
export interface BuiltRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | File
  /** What must be entered before it can be sent; their places in the address are marked `{…}`. */
  readonly missing: readonly Missing[]
}

export type Missing =
  | 'object'
  | 'row'
  | 'key'
  | 'words'
  | 'action'
  | 'publication'
  | 'crosstab'
  | 'documentField'
  | 'file'
  | 'task'

type Pairs = [name: string, value: string][]

/** Makes the request of what was entered. */
export function buildRequest(draft: Draft, { rest, level }: { rest: string; level: string }): BuiltRequest {
  const { parts, method } = operationOf(draft.operation)
  const missing = missingOf(draft)
  const inAddress = draft.operation === 'action' && draft.byGet
  const pairs = [...ownParameters(draft, level), ...(inAddress ? given(draft.parameters) : [])]
  for (const part of parts) pairs.push(...partParameters(part, draft))
  const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return {
    method: inAddress ? 'GET' : method,
    url: `${rest}${pathOf(draft, level)}${query === '' ? '' : `?${query}`}`,
    missing,
    ...bodyOf(draft),
  }
}

function missingOf(draft: Draft): Missing[] {
  const { object, parts } = operationOf(draft.operation)
  const missing: Missing[] = object === 'one' && draft.object === '' ? ['object'] : []
  if (parts.includes('row') && draft.rowId.trim() === '') missing.push('row')
  for (const part of ['key', 'words', 'action', 'publication', 'crosstab', 'documentField', 'task'] as const)
    if (parts.includes(part) && draft[part].trim() === '') missing.push(part)
  if (parts.includes('file') && !draft.file) missing.push('file')
  return missing
}

function pathOf(draft: Draft, level: string): string {
  const { operation, documentField } = draft
  if (operation === 'info') return '/'
  if (operation === 'task' || operation === 'cancelTask')
    return `/_task/${draft.task.trim() === '' ? '{task}' : encode(draft.task.trim())}`
  if (draft.object === '') {
    if (operation === 'indexSearch') return '/_index/'
    return operation === 'documentation' ? '/' : '/{object}/'
  }
  const object = `/${encode(draft.object)}`
  const row = `${object}/${draft.rowId.trim() === '' ? '{row id}' : encode(draft.rowId.trim())}`
  switch (operation) {
    case 'get':
    case 'update':
    case 'delete':
      return row
    case 'create':
      return object
    case 'upsert':
      return `${object}/_key/${draft.key.trim() === '' ? '{key}' : draft.key.split(',').map(encodeValue).join(',')}`
    case 'batch':
      return `${object}/_batch`
    case 'action':
    case 'publication': {
      const base = draft.rowId.trim() === '' ? object : row
      const name = draft[operation]
      const form = name === '' ? `{${operation}}` : encode(name)
      return hasLevel(level, '5.1') ? `${base}/${operation}:${form}` : base
    }
    case 'document':
    case 'upload':
      return `${row}/_document/${documentField === '' ? '{field}' : encode(documentField)}`
    case 'thumbnail':
      return `${row}/_thumbnail/${documentField === '' ? '{field}' : encode(documentField)}`
    default:
      return `${object}/`
  }
}

/** What the operation itself needs. */
function ownParameters(draft: Draft, level: string): Pairs {
  switch (draft.operation) {
    case 'count':
      return [['_count', 'true']]
    case 'indexSearch':
      return [['_indexsearch', draft.words]]
    case 'action':
      return hasLevel(level, '5.1') ? [] : [['_action', draft.action]]
    case 'publication': {
      const json: Pairs = draft.asJson ? [['_output', 'json']] : []
      return hasLevel(level, '5.1') ? json : [['_printtemplate', draft.publication], ...json]
    }
    case 'crosstab':
      return [['_crosstab', draft.crosstab], ...flag('_crosstabcubes', draft.cubes)]
    case 'metadata':
      return [['_metadata', 'true']]
    case 'documentation':
      return [['_doc', 'true']]
    case 'upload':
      return draft.file ? [['_name', draft.file.name]] : []
    default:
      return []
  }
}

function partParameters(part: Part, draft: Draft): Pairs {
  // One record of an action or publication needs no search.
  const searches = !(operationOf(draft.operation).parts.includes('optionalRow') && draft.rowId.trim() !== '')
  switch (part) {
    case 'filters':
      return searches ? [...filterPairs(draft), ...text('_filter', draft.condition)] : []
    case 'order':
      return searches ? text('_order', draft.order) : []
    case 'page': {
      if (!searches) return []
      const page = draft.operation === 'page' ? draft.page || '0' : draft.page
      return [...(draft.cursor === undefined ? text('_page', page) : []), ...text('_pagesize', draft.pageSize)]
    }
    case 'cursor':
      return draft.cursor === undefined ? [] : [['_cursor', draft.cursor]]
    case 'answer':
      return [
        ...text('_fields', draft.fields.join(',')),
        ...flag('_timestamps', draft.timestamps),
        ...flag('_inline_documents', draft.inlineDocuments),
        ...flag('_inline_thumbnails', draft.inlineThumbnails),
      ]
    case 'context':
      return text('_metadacontext', draft.context)
    case 'output':
      return text('_output', draft.output)
    case 'dryRun':
      return flag('_dryrun', draft.dryRun)
    case 'atomic':
      return draft.atomic ? [] : [['_atomic', 'false']]
    case 'sessionOnly':
      return flag('session', draft.sessionOnly)
    default:
      return []
  }
}

function filterPairs({ filters }: Draft): Pairs {
  return filters
    .filter(({ field, value }) => field !== '' && value.trim() !== '')
    .map(({ field, value }) => [field, value])
}

function bodyOf(draft: Draft): Pick<BuiltRequest, 'headers' | 'body'> {
  const { operation, file } = draft
  const json = { 'Content-Type': 'application/json' }
  if (operation === 'upload') {
    return { headers: { 'Content-Type': file?.type || 'application/octet-stream' }, ...(file && { body: file }) }
  }
  if (operation === 'action' && !draft.byGet)
    return { headers: json, body: JSON.stringify(Object.fromEntries(given(draft.parameters))) }
  if (operationOf(operation).parts.includes('body'))
    return { headers: json, body: draft.body.trim() === '' ? '{}' : draft.body }
  // The same as YAML is for people to read, JSON to look into.
  return { headers: operation === 'documentation' && draft.output === 'openapi' ? { Accept: 'application/json' } : {} }
}

function given(parameters: Draft['parameters']): Pairs {
  return Object.entries(parameters).filter(([, value]) => value !== '')
}

function text(name: string, value: string): Pairs {
  return value.trim() === '' ? [] : [[name, value.trim()]]
}

function flag(name: string, value: boolean): Pairs {
  return value ? [[name, 'true']] : []
}

/** Percent-encoded, with what may stay as it is in paths and queries, so that people can read it. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(?:2C|3A|3B)/g, decodeURIComponent)
}

function encodeValue(value: string): string {
  return encodeURIComponent(value.trim().toWellFormed())
}
