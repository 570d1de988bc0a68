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
  readonly label: string
  readonly group: 'Search' | 'Records' | 'More of an object' | 'About the service'
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
  op('search', 'Search', 'Search', 'GET', ['filters', 'order', 'answer']),
  op('page', 'Search one page', 'Search', 'GET', ['filters', 'order', 'page', 'cursor', 'answer'], { since: '4.0' }),
  op('count', 'Count', 'Search', 'GET', ['filters', 'page']),
  op('indexSearch', 'Index search', 'Search', 'GET', ['words', ...searched, 'page', 'answer'], { object: 'optional' }),
  op('get', 'Get', 'Records', 'GET', ['row', 'answer']),
  op('create', 'Create', 'Records', 'POST', ['body', 'answer', 'dryRun']),
  op('update', 'Update', 'Records', 'PUT', ['row', 'body', 'answer', 'dryRun']),
  op('delete', 'Delete', 'Records', 'DELETE', ['row', 'dryRun']),
  op('upsert', 'Create or update by key', 'Records', 'PUT', ['key', 'body', 'answer', 'dryRun']),
  op('batch', 'Batch', 'Records', 'POST', ['body', 'atomic', 'answer', 'dryRun']),
  op('action', 'Action', 'More of an object', 'POST', ['action', 'optionalRow', ...searched, 'page', 'dryRun']),
  op('publication', 'Publication', 'More of an object', 'GET', ['publication', 'optionalRow', ...searched, 'page']),
  op('crosstab', 'Pivot table', 'More of an object', 'GET', ['crosstab', 'filters']),
  op('document', 'Download of a document', 'More of an object', 'GET', ['row', 'documentField']),
  op('thumbnail', 'Thumbnail', 'More of an object', 'GET', ['row', 'documentField']),
  op('upload', 'Upload of a document', 'More of an object', 'PUT', ['row', 'documentField', 'file']),
  op('metadata', 'Metadata', 'About the service', 'GET', ['context']),
  op('documentation', 'Documentation', 'About the service', 'GET', ['output'], { object: 'optional' }),
  op('info', 'Application info', 'About the service', 'GET', ['sessionOnly'], { object: 'none' }),
  op('task', 'State of a background action', 'About the service', 'GET', ['task'], { object: 'none' }),
  op('cancelTask', 'Stop of a background action', 'About the service', 'DELETE', ['task'], { object: 'none' }),
]

export function operationOf(name: OperationName): OperationSpec {
  return operations.find((operation) => operation.name === name) as OperationSpec
}

function op(
  name: OperationName,
  label: string,
  group: OperationSpec['group'],
  method: OperationSpec['method'],
  parts: readonly Part[],
  more: Partial<Pick<OperationSpec, 'object' | 'since'>> = {},
): OperationSpec {
  return { name, label, group, method, object: 'one', since: '3.0', parts, ...more }
}

/** Whether something that came with `since` is there at `level`: both are `<major>.<minor>`. */
export function hasLevel(level: string, since: string): boolean {
  return Number(level) >= Number(since)
}
