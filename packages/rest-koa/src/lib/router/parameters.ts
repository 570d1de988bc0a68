import type { Level } from './level.js'

/** What a request does. */
export type Operation =
  | 'info'
  | 'search'
  | 'get'
  | 'create'
  | 'update'
  | 'delete'
  | 'upsert'
  | 'batch'
  | 'indexSearch'
  | 'metadata'
  | 'documentation'
  | 'action'
  | 'publication'
  | 'crosstab'
  | 'download'
  | 'thumbnail'
  | 'upload'
  | 'task'
  | 'cancelTask'

interface Parameter {
  /** Operations that it may be given to. */
  readonly on: readonly Operation[]
  /** The first level that has it. */
  readonly since: Level
}

const answered: readonly Operation[] = ['search', 'get', 'create', 'update', 'upsert', 'batch', 'indexSearch', 'upload']
const written: readonly Operation[] = ['create', 'update', 'delete', 'upsert', 'batch']
const searched: readonly Operation[] = ['search', 'indexSearch', 'action', 'publication', 'crosstab']

/**
 * Request parameters, spelled as the API spells them; every other one is the name of a field, or a mistake.
 * Sources: rest-service.md, "Endpoints" and "Versioning"; those marked (choice) are additions of wire-decisions.
 */
export const parameters: Readonly<Record<string, Parameter>> = {
  /** Application info: only the session. */
  session: { on: ['info'], since: '3.1' },
  /** PUT or DELETE by POST. */
  _method: { on: [...written, 'upload', 'cancelTask'], since: '3.0' },
  /** What is answered in place of the records; each makes an operation of its own of a GET, `_action` also of a POST. */
  _metadata: { on: ['metadata'], since: '3.0' },
  _metadacontext: { on: ['metadata'], since: '3.0' },
  _metadatacontext: { on: ['metadata'], since: '3.0' },
  _doc: { on: ['documentation'], since: '3.1' },
  _indexsearch: { on: ['indexSearch'], since: '3.1' },
  _action: { on: ['action'], since: '3.0' },
  _printtemplate: { on: ['publication'], since: '3.0' },
  _crosstab: { on: ['crosstab'], since: '3.0' },
  /** Pivot table: a flat array of cells. */
  _crosstabcubes: { on: ['crosstab'], since: '3.0' },
  /** Form of the answer. */
  _output: { on: ['documentation', 'publication'], since: '3.1' },
  /** Everything runs, nothing is kept (choice). */
  _dryrun: { on: [...written, 'action'], since: '3.0' },
  /** Batch: all or nothing, or per item (choice). */
  _atomic: { on: ['batch'], since: '3.0' },
  /** Stable paging (choice). */
  _cursor: { on: ['search'], since: '4.0' },
  /** Upload: file name (choice). */
  _name: { on: ['upload'], since: '3.0' },
  _inline_documents: { on: answered, since: '3.0' },
  _inline_thumbnails: { on: answered, since: '3.0' },
  /** Count instead of the records. */
  _count: { on: ['search'], since: '3.2' },
  /** 0-based page. */
  _page: { on: searched, since: '4.0' },
  /** Records per page (choice). */
  _pagesize: { on: searched, since: '4.0' },
  /** Fields to sort by, `-` before a field turns it round (choice). */
  _order: { on: searched, since: '3.0' },
  /** Fields of the answer (choice). */
  _fields: { on: answered, since: '3.0' },
  /** created_dt, created_by, updated_dt, updated_by in the answer. Source: wire-decisions, "technical fields". */
  _timestamps: { on: answered, since: '3.0' },
}

/** `order__<field>=±n`: sign = direction, n = priority. Source: wire-decisions, "filters". */
export const orderPrefix = 'order__'

/** Operations that take filters, and parameters of their own, by plain names. */
export const takesNames: ReadonlySet<Operation> = new Set(searched)
