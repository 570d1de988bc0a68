import type { RequestParameter, ServiceOperation } from '@steward/rest-core'
import type { Level } from './level.js'

/** What a request does. */
export type Operation = ServiceOperation

interface Parameter extends Omit<RequestParameter, 'name'> {
  /** The first level that has it. */
  readonly since: Level
}

const answered: readonly Operation[] = ['search', 'get', 'create', 'update', 'upsert', 'batch', 'indexSearch', 'upload']
const written: readonly Operation[] = ['create', 'update', 'delete', 'upsert', 'batch']
const searched: readonly Operation[] = ['search', 'indexSearch', 'action', 'publication', 'crosstab']

/**
 * Request parameters, spelled as the API spells them; every other one is the name of a field, or a mistake. The
 * documentation of the service is generated from this table. Sources: docs/spec/rest-service.md, "Endpoints" and
 * "Versioning"; those marked (choice) are additions of docs/spec/wire-decisions.md.
 */
export const parameters: Readonly<Record<string, Parameter>> = {
  session: { on: ['info'], since: '3.1', form: 'flag', text: 'Only the session, which keeps it alive.' },
  _method: {
    on: [...written, 'upload', 'cancelTask'],
    since: '3.0',
    form: 'text',
    text: '`PUT` or `DELETE`, which a POST stands for.',
  },
  // What is answered in place of the records; each makes an operation of its own of a GET, `_action` also of a POST.
  _metadata: {
    on: ['metadata'],
    since: '3.0',
    form: 'flag',
    text: 'The definition of the object; for a record, also its available actions.',
  },
  _metadacontext: {
    on: ['metadata'],
    since: '3.0',
    form: 'context',
    text: 'What the metadata is for, a name or number: `required`, `visible` and `updatable` follow it.',
  },
  _metadatacontext: {
    on: ['metadata'],
    since: '3.0',
    form: 'context',
    text: 'The same as `_metadacontext`; give one of them.',
  },
  _doc: { on: ['documentation'], since: '3.1', form: 'flag', text: 'This documentation.' },
  _indexsearch: {
    on: ['indexSearch'],
    since: '3.1',
    form: 'text',
    text: 'Words that a record must have, all of them. `word*` finds beginnings, `"some words"` a phrase.',
  },
  _action: { on: ['action'], since: '3.0', form: 'text', text: 'Name of the action.' },
  _printtemplate: { on: ['publication'], since: '3.0', form: 'text', text: 'Name of the publication.' },
  _crosstab: { on: ['crosstab'], since: '3.0', form: 'text', text: 'Name of the pivot table.' },
  _crosstabcubes: {
    on: ['crosstab'],
    since: '3.0',
    form: 'flag',
    text: 'A flat array with one item per cell that is not empty.',
  },
  _output: { on: ['documentation', 'publication'], since: '3.1', form: 'output', text: 'Form of the answer.' },
  // (choice)
  _dryrun: { on: [...written, 'action'], since: '3.0', form: 'flag', text: 'Everything runs, nothing is kept.' },
  // (choice)
  _atomic: {
    on: ['batch'],
    since: '3.0',
    form: 'flag',
    text: '`true` (default): all items or none; `false`: each on its own.',
  },
  // (choice)
  _cursor: {
    on: ['search'],
    since: '4.0',
    form: 'text',
    text: 'Instead of `_page`: empty for the first records, then as in the `next` link. Stable while records change.',
  },
  // (choice)
  _name: { on: ['upload'], since: '3.0', form: 'text', text: 'Name of the file.' },
  _inline_documents: {
    on: answered,
    since: '3.0',
    form: 'documents',
    text: 'Contents of documents and images in place of their ids: `true`, or names of fields.',
  },
  _inline_thumbnails: {
    on: answered,
    since: '3.0',
    form: 'images',
    text: 'Thumbnails of images in place of their ids: `true`, or names of fields.',
  },
  _count: {
    on: searched,
    since: '3.2',
    form: 'flag',
    text: 'The number of records instead of the records; of a global action or publication: that it would be about; of a pivot table: of its lines.',
  },
  _page: { on: searched, since: '4.0', form: 'number', text: 'Page, from 0 on. Default: all records, or lines.' },
  // (choice)
  _pagesize: { on: searched, since: '4.0', form: 'number', text: 'Records, or lines, per page: 1 to 1,000.' },
  // (choice)
  _filter: {
    on: searched,
    since: '3.0',
    form: 'text',
    text: "A condition on several fields, which holds as well as the filters: `(f like 'a%' or g__h = 1) and not i is null`.",
  },
  // (choice)
  _order: {
    // An index search answers the best first.
    on: searched.filter((operation) => operation !== 'indexSearch'),
    since: '3.0',
    form: 'order',
    text: 'Fields to sort by, `-` before a field turns it round. `order__<field>=1`, `=-2` … say the same field by field.',
  },
  // (choice)
  _fields: {
    on: answered,
    since: '3.0',
    form: 'fields',
    text: 'Only these fields, and `row_id`; also paths such as `f__g__h`.',
  },
  // Source: docs/spec/wire-decisions.md, "technical fields".
  _timestamps: {
    on: answered,
    since: '3.0',
    form: 'flag',
    text: 'Also who created and last changed the record, and when.',
  },
}

/** `order__<field>=±n`: sign = direction, n = priority. Source: docs/spec/wire-decisions.md, "filters". */
export const orderPrefix = 'order__'

/** Operations that take filters, and parameters of their own, by plain names. */
export const takesNames: ReadonlySet<Operation> = new Set(searched)
