import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fieldTypes } from '../fields/index.js'
import type { CrosstabDefinition, CrosstabValue } from '../crosstabs/crosstab.js'
import type { PublicationDefinition } from '../publications/publication.js'
import type * as D from './definition.js'
import { parseObjectFile } from './load-file.js'

interface FieldSchema {
  properties: { type: { else: { enum: string[] } } }
  allOf: {
    if: { properties: { type: { enum?: string[] } } }
    then: { propertyNames: { enum: string[] }; properties?: object }
  }[]
}
const schema = JSON.parse(readFileSync(new URL('../../../schema/object.json', import.meta.url), 'utf8')) as {
  properties: Record<string, object>
  $defs: {
    field: FieldSchema
    value: { properties: object }
    states: { properties: { transitions: { items: { properties: object } } } }
  }
}

type Full<T> = { readonly [K in keyof Required<T>]: Required<T>[K] }

const common: Full<D.FieldCommon> = {
  label: 'l',
  help: 'h',
  required: true,
  default: 'x',
  column: 'c',
  key: false,
  unique: true,
  index: true,
  readOnly: true,
  createOnly: true,
  hidden: true,
  area: 'main',
  renamedFrom: 'old',
}
const value: Full<D.EnumValue> = { code: 'a', label: 'A', enabled: true }
const text = { ...common, length: 5, pattern: 'x*' }
const values = ['b', value]

/** One field of each interface with all its properties: the compiler fails here when one is added or renamed. */
const fields = {
  row_id: { ...common, type: 'id', values: 'string', fields: ['text', 'integer'] } satisfies Full<D.IdField>,
  reference: {
    ...common,
    type: 'reference',
    object: 'Full',
    via: ['text', 'integer'],
    display: ['text'],
    onDelete: 'cascade',
  } satisfies Full<D.ReferenceField>,
  text: { ...text, type: 'string', allowEmpty: true } satisfies Full<D.TextField>,
  password: { ...text, type: 'password', minLength: 1 } satisfies Full<D.PasswordField>,
  integer: { ...common, type: 'integer', min: 1, max: 2, precision: 20 } satisfies Full<D.IntegerField>,
  decimal: {
    ...common,
    type: 'decimal',
    min: 0.5,
    max: 2,
    precision: 38,
    scale: 0,
    storage: 'single',
    extended: true,
  } satisfies Full<D.DecimalField>,
  boolean: { ...common, type: 'boolean' } satisfies Full<D.BooleanField>,
  date: { ...common, type: 'date', extended: true } satisfies Full<D.DateField>,
  time: { ...common, type: 'time', precision: 9, extended: true } satisfies Full<D.TimeField>,
  datetime: {
    ...common,
    type: 'datetime',
    zone: 'none',
    precision: 9,
    extended: true,
  } satisfies Full<D.DatetimeField>,
  enum: { ...common, type: 'enum', values } satisfies Full<D.EnumField>,
  multi: { ...common, type: 'multi-enum', values } satisfies Full<D.MultiEnumField>,
  document: { ...common, type: 'document', maxBytes: 1, storage: 'column' } satisfies Full<D.DocumentField>,
  image: {
    ...common,
    type: 'image',
    maxBytes: 1,
    thumbnailPixels: 10,
    mediaTypes: ['image/png'],
  } satisfies Full<D.ImageField>,
  geocoords: { ...common, type: 'geocoords' } satisfies Full<D.GeocoordsField>,
  object: { ...common, type: 'object', array: true, length: 1 } satisfies Full<D.JsonField>,
  custom: {
    ...text,
    type: 'x-own',
    min: 1,
    max: 2,
    precision: 3,
    scale: 1,
    options: { unit: 'kg' },
  } satisfies Full<D.CustomField>,
}
const transition: Full<D.StateModel['transitions'][number]> = { from: ['a'], to: 'b', groups: ['G'] }
const publication: Full<Omit<PublicationDefinition, 'template' | 'file'>> = {
  label: 'l',
  help: 'h',
  scope: 'both',
  format: 'docx',
  fields: ['text'],
  fileName: 'x',
  groups: ['G'],
}
const crosstab: Full<CrosstabDefinition> = {
  label: 'l',
  help: 'h',
  lines: ['text', { field: 'date', by: 'quarter', label: 'l' }],
  columns: ['enum'],
  values: [{ function: 'sum', field: 'integer', name: 'n', label: 'l' } satisfies Full<CrosstabValue>],
  groups: ['G'],
}
const full: Full<Omit<D.ObjectDefinition, 'hooks' | 'actions'>> = {
  name: 'Full',
  label: 'l',
  pluralLabel: 'p',
  help: 'h',
  table: 't',
  renamedFrom: 'o',
  view: { sqlite: 's', postgresql: 'p', mysql: 'm', oracle: 'o', mssql: 'q' } satisfies Full<D.ViewQueries>,
  fields,
  order: ['-text'],
  pageSize: 1000,
  timestamps: false,
  readOnly: true,
  states: { field: 'enum', initial: 'a', transitions: [transition] } satisfies Full<D.StateModel>,
  icon: 'i',
  areas: { main: 'Main' },
  indexable: ['text'],
  display: 'public',
  audit: true,
  events: true,
  publications: { sheet: { ...publication, template: '{{text}}' }, letter: { ...publication, file: 'letter.docx' } },
  crosstabs: { table: crosstab },
}

const sorted = (names: Iterable<string>): string[] => [...names].toSorted()

test('the schema takes a definition that uses every property', async () => {
  expect(await parseObjectFile(JSON.stringify(full), 'full.json')).toEqual(full)
})

test('the schema knows the properties of the definition types and no others', () => {
  expect(sorted(Object.keys(schema.properties))).toEqual(sorted(['$schema', ...Object.keys(full)]))
  expect(sorted(Object.keys(schema.$defs.value.properties))).toEqual(sorted(Object.keys(value)))
  expect(sorted(Object.keys(schema.$defs.states.properties))).toEqual(sorted(Object.keys(full.states)))
  expect(sorted(Object.keys(schema.$defs.states.properties.transitions.items.properties))).toEqual(
    sorted(Object.keys(transition)),
  )
  for (const field of Object.values(fields)) {
    const part = schema.$defs.field.allOf.find(({ if: { properties } }) =>
      field.type === 'x-own' ? properties.type.enum === undefined : properties.type.enum?.includes(field.type),
    )
    expect(sorted(part?.then.propertyNames.enum ?? []), field.type).toEqual(sorted(Object.keys(field)))
  }
})

test('the schema treats every field type exactly once', () => {
  expect(sorted(schema.$defs.field.properties.type.else.enum)).toEqual(sorted(Object.keys(fieldTypes)))
  expect(sorted(schema.$defs.field.allOf.flatMap((part) => part.if.properties.type.enum ?? []))).toEqual(
    sorted(Object.keys(fieldTypes)),
  )
})

test('every property has a description', () => {
  const undescribed = (part: unknown, path: string): string[] => {
    if (typeof part !== 'object' || part === null) return []
    const own = Object.entries((part as { properties?: Record<string, Record<string, unknown>> }).properties ?? {})
      .filter(([, property]) => property['description'] === undefined && property['$ref'] === undefined)
      .map(([name]) => `${path}.${name}`)
    return [
      ...own,
      ...Object.entries(part).flatMap(([key, inner]) => (key === 'if' ? [] : undescribed(inner, `${path}/${key}`))),
    ]
  }
  expect(undescribed(schema, '')).toEqual([])
})
