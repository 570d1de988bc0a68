import { statusOf } from '../../errors.js'
import type { ErrorCode } from '../../errors.js'
import { metadataContexts } from '../metadata/context.js'
import { reference } from './description.js'
import type { Schema } from './description.js'
import { inlinedDocument, uploadedDocument, uploadedImage } from './field-schemas.js'

const text: Schema = { type: 'string' }
const flag: Schema = { type: 'boolean' }
const count: Schema = { type: 'integer', minimum: 0 }

/** An object with exactly these members; those whose name ends in `?` may be missing. */
export function exactly(members: Readonly<Record<string, Schema>>, description?: string): Schema {
  const entries = Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  const required = Object.keys(members).filter((name) => !name.endsWith('?'))
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(entries),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema['type'], 'null'] }
}

/** One of these texts. */
export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

/** Codes of errors by status. */
export function errorCodes(status: number): ErrorCode[] {
  return (Object.keys(statusOf) as ErrorCode[]).filter((code) => statusOf[code] === status)
}

const errorMessage = exactly(
  {
    code: text,
    'field?': text,
    'fields?': listOf(text),
    'item?': { ...count, description: 'Place in a batch, from 0 on.' },
    text,
  },
  'One mistake. Codes are stable, texts are not; hooks of objects may have their own codes.',
)

const scope = oneOf('record', 'global', 'both')
/** An axis of a pivot table. */
export const axisSchema = exactly({ name: text, label: text, field: text, by: orNull(text) })
/** A value of a pivot table. */
export const valueSchema = exactly({ name: text, label: text, function: text, field: orNull(text) })
const named = { id: text, name: text, label: text, help: text }

const field = exactly({
  ...named,
  input: text,
  fullinput: text,
  order: { type: 'integer', minimum: 1 },
  type: {
    type: 'integer',
    description:
      '0 id or reference, 1 integer, 2 decimal, 3 string, 4 date, 5 datetime, 6 time, 7 enum, 8 boolean, 9 password, 10 url, 11 html, 12 email, 13 text, 14 multi-enum, 15 regexp, 17 document, 20 image, 22 phone, 23 color, 24 object, 25 geocoords',
  },
  length: count,
  precision: count,
  unique: flag,
  min: { type: ['number', 'null'] },
  max: { type: ['number', 'null'] },
  minLength: count,
  pattern: orNull(text),
  zone: { ...orNull(text), description: 'Of a datetime: `UTC` or `none`.' },
  maxBytes: orNull(count),
  mediaTypes: { type: ['array', 'null'], items: text },
  area: text,
  key: flag,
  required: flag,
  updatable: flag,
  visible: flag,
  searchable: flag,
  searchOrder: { type: 'integer' },
  defaultValue: {},
  refId: orNull(text),
  ref: orNull(text),
  refObject: orNull(text),
  refField: orNull(text),
  listOfValuesName: orNull(text),
  listOfValues: { type: ['array', 'null'], items: exactly({ code: text, value: text, enabled: flag }) },
})

const metadata = exactly(
  {
    ...named,
    plurallabel: text,
    icon: text,
    rowidfield: { const: 'row_id' },
    template: text,
    create: flag,
    update: flag,
    del: flag,
    copy: flag,
    export: flag,
    print: flag,
    updateAll: flag,
    readonly: flag,
    indexable: flag,
    areas: listOf(exactly({ id: text, name: text, label: text, order: { type: 'integer', minimum: 1 } })),
    states: {
      anyOf: [
        exactly({
          field: text,
          initial: text,
          state: orNull(text),
          transitions: listOf(exactly({ from: listOf(text), to: text })),
        }),
        { type: 'null' },
      ],
    },
    fields: listOf(reference('rest.Field')),
    links: listOf(
      exactly({
        id: text,
        name: text,
        label: text,
        object: text,
        field: text,
        onDelete: oneOf('refuse', 'cascade', 'setNull'),
      }),
    ),
    actions: listOf(
      exactly({ ...named, scope, confirm: text, background: flag, parameters: listOf(reference('rest.Field')) }),
    ),
    crosstabs: listOf(
      exactly({
        ...named,
        lines: listOf(axisSchema),
        columns: listOf(axisSchema),
        values: listOf(valueSchema),
      }),
    ),
    publications: listOf(exactly({ ...named, scope, format: text, mime: text })),
  },
  'The definition of an object, as far as this user may see it.',
)

const session = exactly({
  id: text,
  login: text,
  userid: text,
  'authtoken?': text,
  'authtokenexpiry?': { type: 'integer', description: 'In ms since 1970.' },
})

const moment: Schema = {
  type: 'string',
  pattern: String.raw`^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})?$`,
  description: 'UTC',
}

/** Schemas that belong to no object, by name. */
export const generalSchemas: Readonly<Record<string, Schema>> = {
  'rest.Error': exactly(
    {
      error: { type: 'string', description: 'What is wrong and what to do, for people.' },
      status: { type: 'integer' },
      code: oneOf(...Object.keys(statusOf)),
      messages: listOf(errorMessage),
    },
    'Every error has this form.',
  ),
  'rest.Count': exactly(
    { count, page: count, maxpage: count, pagesize: { type: 'integer', minimum: 1 } },
    'The number of records. Pages are counted from 0, so there are `maxpage` + 1.',
  ),
  'rest.Deleted': exactly({ row_id: text }),
  'rest.Session': exactly({ session }),
  'rest.Info': exactly({
    name: text,
    title: text,
    version: text,
    platformversion: text,
    encoding: { const: 'UTF-8' },
    server: text,
    user: exactly({
      login: text,
      userid: text,
      firstname: text,
      lastname: text,
      email: text,
      lang: text,
      responsibilities: listOf(text),
    }),
    session,
  }),
  'rest.Field': field,
  'rest.Metadata': metadata,
  [inlinedDocument]: exactly(
    {
      id: text,
      name: text,
      path: text,
      mime: text,
      size: count,
      'content?': { type: 'string', contentEncoding: 'base64' },
      'thumbnail?': { type: ['string', 'null'], contentEncoding: 'base64', description: 'WebP; null: no picture.' },
    },
    'A document in place of its id.',
  ),
  [uploadedDocument]: newDocument('A new document; the content is base64.', {}),
  [uploadedImage]: newDocument('A new picture; the content is base64.', { contentMediaType: 'image/*' }),
  'rest.Publication': exactly(
    {
      name: text,
      mime: text,
      content: { type: 'string', description: 'Text as it is; any other content as base64.' },
    },
    'A document as JSON.',
  ),
  'rest.Task': exactly(
    {
      id: text,
      object: text,
      action: text,
      status: oneOf('running', 'done', 'failed', 'cancelled'),
      done: { type: 'number' },
      total: { type: ['number', 'null'] },
      text,
      started: moment,
      ended: moment,
      'result?': {},
      'error?': exactly({ code: text, message: text }),
    },
    'An action that runs, or ran, in the background.',
  ),
}

/** Contexts of metadata, by name or number. */
export const contextSchema: Schema = {
  type: 'string',
  enum: metadataContexts.flatMap((name, number) => [name, String(number)]),
}

function newDocument(description: string, content: Schema): Schema {
  return {
    ...exactly({
      'id?': text,
      name: { type: 'string', minLength: 1 },
      'mime?': text,
      content: { type: 'string', contentEncoding: 'base64', ...content },
    }),
    description,
  }
}
