import type { Access } from '../rights/access.js'
import { answer, entityTag, errors, header, jsonContent, pageLinks, writtenHeaders } from './answers.js'
import { reference } from './description.js'
import type { Schema } from './description.js'
import { exactly, listOf, oneOf } from './general-schemas.js'
import { mayWrite, schemaNames } from './object-schemas.js'
import { bodyOf, byKey, hasKey, headerParameter, idempotencyKey, ifMatch, recordContent } from './parts.js'
import type { Describe, OperationContents } from './parts.js'
import type { ServiceOperation } from './service-interface.js'

/** Operations on the records of an object. */
export const recordOperations = {
  search: (access, { view, method }) =>
    view === '_count' ? count(access) : method === 'POST' ? searchByBody(access) : search(access),

  get(access, { path }) {
    if (!mayName(access, path) || !access.may('R')) return undefined
    const { id, what } = byKey(path)
    return {
      id: `get${id}`,
      summary: `Get a record${what}`,
      parameters: [headerParameter('If-None-Match', "Tag of the client's copy: 304 if it is unchanged.")],
      answers: [
        answer('The record.', recordContent(access), [entityTag]),
        answer("The client's copy is up to date.", {}, [entityTag], 304),
        ...errors(404),
      ],
    }
  },

  create(access) {
    if (!mayWrite(access, 'C')) return undefined
    return {
      id: 'create',
      summary: 'Create a record',
      text: 'Fields that are marked as ignored may be sent, so that a record can be sent as it was answered.',
      parameters: [idempotencyKey],
      body: bodyOf(access, 'create'),
      answers: [
        answer('The new record.', recordContent(access), [
          entityTag,
          header('Location', 'Address of the record, except for a dry run.', false),
          ...writtenHeaders,
        ]),
        ...errors(404, 409, 413, 415),
      ],
    }
  },

  update(access) {
    if (!mayWrite(access, 'U')) return undefined
    return {
      id: 'update',
      summary: 'Change fields of a record',
      text: 'Only the given fields are changed. `POST` with `_method=PUT` does the same.',
      parameters: [ifMatch, idempotencyKey],
      body: bodyOf(access, 'update'),
      answers: [
        answer('The record with its new values.', recordContent(access), [entityTag, ...writtenHeaders]),
        ...errors(404, 409, 412, 413, 415),
      ],
    }
  },

  delete(access, { path }) {
    if (!mayName(access, path) || !mayWrite(access, 'D')) return undefined
    const { id, what } = byKey(path)
    return {
      id: `delete${id}`,
      summary: `Delete a record${what}`,
      text: '`POST` with `_method=DELETE` does the same.',
      parameters: [ifMatch, idempotencyKey],
      answers: [
        answer('The record is deleted.', jsonContent(reference('rest.Deleted')), writtenHeaders),
        ...errors(404, 409, 412),
      ],
    }
  },

  upsert(access) {
    if (!mayName(access, '{key}') || !mayWrite(access, 'C') || !mayWrite(access, 'U')) return undefined
    return {
      id: 'upsert',
      summary: 'Change a record by its functional key, or create it',
      text: 'The address contains the values of the key; they can be left out of the body.',
      parameters: [ifMatch, idempotencyKey],
      body: bodyOf(access, 'update'),
      answers: [
        answer('The record.', recordContent(access), [
          entityTag,
          header('Location', 'Address of the record, when it was created.', false),
          ...writtenHeaders,
        ]),
        ...errors(404, 409, 412, 413, 415),
      ],
    }
  },

  batch(access) {
    const { name } = access.object
    if (!(['C', 'U', 'D'] as const).some((letter) => mayWrite(access, letter))) return undefined
    return {
      id: 'batch',
      summary: 'Write several records',
      text: 'All as one transaction; with `_atomic=false` each on its own, and without an `Idempotency-Key`.',
      parameters: [idempotencyKey],
      body: { required: true, text: 'What to do, in order.', content: jsonContent(listOf(batchItem(access))) },
      answers: [
        answer(
          'For each item, in order: the record or the error.',
          jsonContent(listOf(batchResult(name))),
          writtenHeaders,
        ),
        ...errors(404, 409, 413, 415),
      ],
    }
  },
} satisfies Partial<Record<ServiceOperation, Describe>>

/** Records are found by row id, or by the functional key among the values. */
function batchItem(access: Access): Schema {
  const { name } = access.object
  const text: Schema = { type: 'string' }
  const items: Schema[] = []
  if (mayWrite(access, 'C'))
    items.push(exactly({ action: oneOf('create', 'upsert'), values: reference(schemaNames.create(name)) }))
  if (mayWrite(access, 'U'))
    items.push(exactly({ action: oneOf('update'), 'row_id?': text, values: reference(schemaNames.update(name)) }))
  if (mayWrite(access, 'D'))
    items.push(exactly({ action: oneOf('delete'), 'row_id?': text, 'values?': { type: 'object' } }))
  return items.length > 1 ? { anyOf: items } : (items[0] as Schema)
}

function batchResult(object: string): Schema {
  return {
    anyOf: [exactly({ status: { const: 200 }, record: anyRecord(object) }), reference('rest.Error')],
  }
}

/** A record, or what is left of a deleted one. */
function anyRecord(object: string): Schema {
  return { anyOf: [reference(schemaNames.record(object)), reference('rest.Deleted')] }
}

function search(access: Access): OperationContents | undefined {
  if (!access.may('R')) return undefined
  const record = reference(schemaNames.record(access.object.name))
  return {
    id: 'search',
    summary: 'Search records',
    text: 'All records, streamed, unless a page is requested. `Accept: application/x-ndjson` gives one record per line.',
    filtered: true,
    parameters: [
      headerParameter('Prefer', '`count=exact`: a page comes with the number of records and a link to the last page.'),
    ],
    answers: [
      answer('The records.', jsonContent(listOf(record)), [
        pageLinks,
        header('X-Next-Cursor', 'Of a page by cursor: the cursor of the next one, as long as there is one.', false),
        header('X-Total-Count', 'The number of records, if preferred.', false),
        header('Preference-Applied', '`count=exact`', false),
      ]),
      ...errors(),
    ],
  }
}

/** Filters that are too long for an address. */
function searchByBody(access: Access): OperationContents | undefined {
  if (!access.may('R')) return undefined
  const value: Schema = { type: ['string', 'number', 'boolean'] }
  return {
    id: 'search-by-body',
    summary: 'Search records, with the parameters in the body',
    text: 'For filters that are too long for an address: the parameters of a search, a count, an index search or a pivot table. A search takes `Accept: application/x-ndjson`, too.',
    body: {
      required: false,
      text: 'Parameters by name; several values of a filter, or names of a list such as `_fields`, as an array.',
      content: jsonContent({
        type: 'object',
        additionalProperties: { anyOf: [value, { ...listOf(value), minItems: 1 }] },
      }),
    },
    answers: [
      answer('The same as a search in the address.', jsonContent({}), [
        header('X-Next-Cursor', 'Of a page by cursor: the cursor of the next one, as long as there is one.', false),
        header('X-Total-Count', 'The number of records, if preferred.', false),
        header('Preference-Applied', '`count=exact`', false),
      ]),
      ...errors(413, 415),
    ],
  }
}

function count(access: Access): OperationContents | undefined {
  if (!access.may('R')) return undefined
  return {
    id: 'count',
    summary: 'Count records',
    text: 'The same as a search with `_count=true`.',
    filtered: true,
    answers: [answer('The number of records.', jsonContent(reference('rest.Count'))), ...errors()],
  }
}

/** By the row id everybody can name a record; by its key who can find it. */
function mayName(access: Access, path: string): boolean {
  return !path.includes('{key}') || (access.may('R') && hasKey(access))
}
