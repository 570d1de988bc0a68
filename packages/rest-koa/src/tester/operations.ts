/** What can be asked of the service. */
export type OperationName =
  | 'search'
  | 'page'
  | 'count'
  | 'indexSearch'
  | 'get'
  | 'create'
  | 'update'
  | 'delete'
  | 'upsert'
  | 'batch'
  | 'action'
  | 'publication'
  | 'crosstab'
  | 'document'
  | 'thumbnail'
  | 'upload'
  | 'metadata'
  | 'documentation'
  | 'info'
  | 'task'
  | 'cancelTask'

/** A part of the form. */
export type Part =
  | 'row'
  /** A record, or all. */
  | 'optionalRow'
  | 'key'
  | 'words'
  | 'action'
  | 'publication'
  | 'crosstab'
  | 'documentField'
  | 'file'
  | 'context'
  | 'output'
  | 'filters'
  | 'order'
  | 'page'
  | 'cursor'
  /** What an answer holds: fields, timestamps, contents of documents. */
  | 'answer'
  | 'body'
  | 'dryRun'
  | 'atomic'
  | 'sessionOnly'
  | 'task'

export interface OperationSpec {
  readonly name: OperationName
  readonly group: 'search' | 'records' | 'object' | 'service'
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `optional`: works on all objects too. */
  readonly object: 'one' | 'optional' | 'none'
  /** First compatibility level that has it. */
  readonly since: string
  readonly parts: readonly Part[]
}

const searched = ['filters', 'order'] as const

/** In the order of the list of the page. */
export const operations: readonly OperationSpec[] = [
  op('search', 'search', 'GET', ['filters', 'order', 'answer']),
  op('page', 'search', 'GET', ['filters', 'order', 'page', 'cursor', 'answer'], { since: '4.0' }),
  op('count', 'search', 'GET', ['filters', 'page']),
  op('indexSearch', 'search', 'GET', ['words', ...searched, 'page', 'answer'], { object: 'optional' }),
  op('get', 'records', 'GET', ['row', 'answer']),
  op('create', 'records', 'POST', ['body', 'answer', 'dryRun']),
  op('update', 'records', 'PUT', ['row', 'body', 'answer', 'dryRun']),
  op('delete', 'records', 'DELETE', ['row', 'dryRun']),
  op('upsert', 'records', 'PUT', ['key', 'body', 'answer', 'dryRun']),
  op('batch', 'records', 'POST', ['body', 'atomic', 'answer', 'dryRun']),
  op('action', 'object', 'POST', ['action', 'optionalRow', ...searched, 'page', 'dryRun']),
  op('publication', 'object', 'GET', ['publication', 'optionalRow', ...searched, 'page']),
  op('crosstab', 'object', 'GET', ['crosstab', ...searched, 'page']),
  op('document', 'object', 'GET', ['row', 'documentField']),
  op('thumbnail', 'object', 'GET', ['row', 'documentField']),
  op('upload', 'object', 'PUT', ['row', 'documentField', 'file']),
  op('metadata', 'service', 'GET', ['context']),
  op('documentation', 'service', 'GET', ['output'], { object: 'optional' }),
  op('info', 'service', 'GET', ['sessionOnly'], { object: 'none' }),
  op('task', 'service', 'GET', ['task'], { object: 'none' }),
  op('cancelTask', 'service', 'DELETE', ['task'], { object: 'none' }),
]

export function operationOf(name: OperationName): OperationSpec {
  return operations.find((operation) => operation.name === name) as OperationSpec
}

function op(
  name: OperationName,
  group: OperationSpec['group'],
  method: OperationSpec['method'],
  parts: readonly Part[],
  more: Partial<Pick<OperationSpec, 'object' | 'since'>> = {},
): OperationSpec {
  return { name, group, method, object: 'one', since: '3.0', parts, ...more }
}

/** Whether something that came with `since` is there at `level`: both are `<major>.<minor>`. */
export function hasLevel(level: string, since: string): boolean {
  return Number(level) >= Number(since)
}
