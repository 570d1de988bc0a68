import { expect, test } from 'vitest'
import type { DefinitionError } from '../../errors.js'
import { defineObject } from '../definition/define-object.js'
import type { ObjectDefinition, RecordOf } from '../definition/definition.js'
import { createModel } from './create-model.js'

const Country = defineObject({
  name: 'Country',
  fields: { cou_code: { type: 'string', length: 2, key: true }, cou_name: { type: 'string' } },
})
const City = defineObject({
  name: 'City',
  fields: {
    cit_name: { type: 'string', key: true },
    cit_country_id: { type: 'reference', object: 'Country', display: ['cou_name'] },
  },
})
const StreetSegment = defineObject({
  name: 'StreetSegment',
  order: ['-str_name'],
  fields: {
    str_name: { type: 'string', key: true },
    str_kind: { type: 'enum', values: ['road', { code: 'path', label: 'Path' }] },
    str_open: { type: 'boolean' },
    str_pin: { type: 'password' },
    str_city_id: { type: 'reference', object: 'City', display: ['cit_name', 'cit_country_id__cou_name'] },
    str_country_id: { type: 'reference', object: 'Country' },
  },
})

function problemsOf(...definitions: readonly ObjectDefinition[]): readonly string[] {
  try {
    createModel(definitions)
    return []
  } catch (error) {
    return (error as DefinitionError).messages
  }
}

test('objects may be given in any order', () => {
  const model = createModel([StreetSegment, City, Country])
  expect(model.object('Country').referencedBy.map(({ object, field }) => `${object.name}.${field.name}`)).toEqual([
    'StreetSegment.str_country_id',
    'City.cit_country_id',
  ])
})

test('an answer holds each reference followed by its display fields and chains, without passwords', () => {
  const { selection } = createModel([Country, City, StreetSegment]).object('StreetSegment')
  expect(selection.fields.map(({ name }) => name)).toEqual([
    'row_id',
    'str_name',
    'str_kind',
    'str_open',
    'str_city_id',
    'str_city_id__cit_name',
    'str_city_id__cit_country_id__cou_name',
    'str_country_id',
    'str_country_id__cou_code',
  ])
})

test('tables are named in snake case, sorts end with the row id', () => {
  const object = createModel([Country, City, StreetSegment]).object('StreetSegment')
  expect(object.table).toBe('street_segment')
  expect(object.order).toEqual([
    { field: 'str_name', descending: true },
    { field: 'row_id', descending: false },
  ])
})

test('field() follows paths of five references, one field each, and keeps no more of them than clients may invent', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const references = names.map((name) => [name, { type: 'reference', object: 'Node', display: [] } as const] as const)
  const node = createModel([
    {
      name: 'Node',
      fields: { title: { type: 'string' }, pin: { type: 'password' }, ...Object.fromEntries(references) },
    },
  ]).object('Node')
  expect(node.readable.has('a__title')).toBe(false)
  const far = node.field('a__b__c__d__e__title')
  expect(far?.path.map(({ name }) => name)).toEqual(names)
  expect(node.field('a__b__c__d__e__title')).toBe(far)
  for (const name of ['a__b__c__d__e__a__title', 'a__pin', 'a__title__b', 'a__', '__title', 'a__row_id', 'f__title'])
    expect(node.field(name), name).toBeUndefined()
  const invented = names.flatMap((a) =>
    names.flatMap((b) => names.flatMap((c) => names.flatMap((d) => names.map((e) => [a, b, c, d, e].join('__'))))),
  )
  for (const path of invented) expect(node.field(`${path}__title`)?.path).toHaveLength(5)
  expect(node.field('a__b__c__d__e__title')).not.toBe(far)
})

test('select() gives the same selection for the same names', () => {
  const object = createModel([Country]).object('Country')
  expect(object.select(['cou_name'])).toBe(object.select(['cou_name']))
  expect(object.select([]).fields.map(({ name }) => name)).toEqual(['row_id'])
  expect(() => object.select(['nothing'])).toThrow('has no field "nothing"')
})

test('the cache of selections keeps what is used, and does not grow with what clients invent', () => {
  const fields = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}`, { type: 'string' } as const]))
  const object = createModel([{ name: 'Wide', fields }]).object('Wide')
  const lists = new Set(
    Array.from({ length: 300 }, (_, at) => [...at.toString(8).padStart(3, '0')].map((digit) => `f${digit}`).join()),
  )
  const used = object.select(['f7', 'f6'])
  const first = [...lists].map((list) => {
    expect(object.select(['f7', 'f6'])).toBe(used)
    return object.select(list.split(','))
  })
  const fresh = [...lists].filter((list, at) => object.select(list.split(',')) !== first[at])
  expect(fresh.length).toBeGreaterThan(50)
})

test('the record type follows from the fields', () => {
  const record: RecordOf<typeof StreetSegment> = {
    row_id: '1',
    str_name: 'High Street',
    str_kind: 'path',
    str_open: true,
    str_city_id: '2',
    str_city_id__cit_name: 'Ghent',
    str_city_id__cit_country_id__cou_name: 'Belgium',
    str_country_id: '',
  }
  // @ts-expect-error: not a code of the list
  record.str_kind = 'river'
  // @ts-expect-error: passwords are never answered
  expect(record.str_pin).toBeUndefined()
})

test('every mistake is named with its place', () => {
  const definition: ObjectDefinition = {
    name: 'Bad',
    pageSize: 0,
    order: ['nothing'],
    states: { field: 'a', transitions: [] },
    fields: {
      a: { type: 'string', pattern: '(' },
      b__c: { type: 'string' },
      created_by: { type: 'string' },
      d: { type: 'reference', object: 'Nowhere', onDelete: 'setNull', required: true },
      e: { type: 'text', key: true },
      f: { type: 'string', column: 'A' },
      g: { type: 'decimal', precision: 2, scale: 4 },
      h: { type: 'enum', values: [] },
      i: { type: 'magic' } as never,
      j: { type: 'multi-enum', values: ['a;b', 'c', 'c'] },
      k: { type: 'integer', precision: 40 },
      l: { type: 'string', length: 0 },
      like: { type: 'string' },
    },
  }
  const problems = problemsOf(definition, { ...Country, name: 'bad' })
  for (const text of [
    'Bad.a: pattern',
    'Bad.b__c: "__"',
    'Bad.created_by: this name is kept',
    'Bad.d: it refers to object "Nowhere"',
    'Bad.d: onDelete "setNull"',
    'Bad.e: a field of type "text" cannot be part',
    'Bad.f: field "a" already uses column "a"',
    'Bad.g: scale is larger',
    'Bad.h.values: must not be empty',
    'Bad.i.type: must be one of',
    'Bad.j: values: code "a;b" holds ";"',
    'Bad.j: values: "c" stands there twice',
    'Bad.k.precision: must be at most 20, not 40',
    'Bad.l.length: must be at least 1, not 0',
    'Bad.like: this name is a word',
    'Bad.pageSize',
    'Bad.states: field "a" is not an enum',
    'bad: there already is an object "Bad"',
  ]) {
    expect(problems).toContainEqual(expect.stringContaining(text))
  }
})

test('the structure of definitions in code is checked like that of files, all mistakes at once', () => {
  const run = () => null
  const sound = { name: 'Sound', fields: { a: { type: 'string', label: undefined } } }
  const wrong = [
    sound,
    null,
    {},
    { name: 5, fields: { a: { type: 'string' } } },
    { name: 'NoFields' },
    {
      name: 'Thing',
      labell: 'x',
      order: 'a',
      fields: {
        a: { type: 'string', requird: true, precision: 2 },
        b: { type: 'enum' },
        c: { type: 'intger' },
        d: 'string',
        e: { type: 'boolean', key: 'yes' },
        f: { type: 'reference', object: 'Nowhere' },
      },
      hooks: { preSav: run, postSave: 'x' },
      actions: {
        late: { rum: run },
        odd: { run, label: 1, parameters: { p: { type: 'strin' }, q: { type: 'string', lenght: 2 } } },
        fine: { run, parameters: { ref: { type: 'reference', object: 'Thing' } } },
      },
      publications: { list: { format: 'csv', fields: ['a'], filename: 'x' } },
      crosstabs: { table: { lines: ['a'], column: ['e'] }, none: {} },
    },
  ] as unknown as ObjectDefinition[]
  expect(problemsOf(...wrong)).toEqual([
    'definition 2: must be an object, not nothing',
    'definition 3: needs "name"',
    'definition 3: needs "fields"',
    'definition 4.name: must be text, not 5; put it in quotes: "5"',
    'NoFields: needs "fields"',
    'Thing.labell: is not known here; did you mean "label"?',
    'Thing.a.requird: is not known here; did you mean "required"?',
    expect.stringMatching(/^Thing\.a\.precision: is not known here/),
    'Thing.b: needs "values"',
    expect.stringMatching(/^Thing\.c\.type: must be one of .*; did you mean "integer"\?$/),
    'Thing.d: must be a map of names to values, not "string"',
    'Thing.e.key: must be true or false, not "yes"',
    'Thing.order: must be a list, not "a"',
    'Thing.publications.list.filename: is not known here; did you mean "fileName"?',
    'Thing.crosstabs.table.column: is not known here; did you mean "columns"?',
    'Thing.crosstabs.none: needs "lines"',
    'Thing.hooks.preSav: is not known here; did you mean "preSave"?',
    'Thing.hooks.postSave: must be a function',
    'Thing.actions.late.rum: is not known here; did you mean "run"?',
    'Thing.actions.late: needs "run"',
    'Thing.actions.odd.label: must be text',
    expect.stringMatching(/^Thing\.actions\.odd\.parameters\.p\.type: must be one of .*; did you mean "string"\?$/),
    'Thing.actions.odd.parameters.q.lenght: is not known here; did you mean "length"?',
    'Thing.f: it refers to object "Nowhere", which does not exist',
  ])
  expect(problemsOf(sound as ObjectDefinition)).toEqual([])
  // Mistakes in parts that others do not need are reported together with those that need the whole model.
  const { fields } = Country
  const actions = { a: { run, lable: 'x' }, b: { run, parameters: { ref: { type: 'reference', object: 'Country' } } } }
  expect(problemsOf({ name: 'Country', fields, order: ['nope'], actions } as unknown as ObjectDefinition)).toEqual([
    'Country.actions.a.lable: is not known here; did you mean "label"?',
    'Country.actions.b.parameters.ref: a parameter cannot be of type "reference"',
    'Country.order: there is no field "nope"',
  ])
})

test.each([
  [{ display: ['nothing'] }, 'City has no field "nothing"'],
  [{ display: ['cit_name__x'] }, '"cit_name" is not a reference of City'],
  [{ display: ['cit_pin'] }, 'is hidden'],
])('a display of %j is refused', (reference, text) => {
  const city = { ...City, fields: { ...City.fields, cit_pin: { type: 'password' } } } as ObjectDefinition
  const street: ObjectDefinition = {
    name: 'Street',
    fields: { str_city_id: { type: 'reference', object: 'City', ...reference } },
  }
  expect(problemsOf(Country, city, street)).toEqual([expect.stringContaining(text)])
})

test('an area that the object does not have is refused', () => {
  const fields = { thi_a: { type: 'string', area: 'mony' }, thi_b: { type: 'string', area: 'money' } } as const
  expect(problemsOf({ name: 'Thing', areas: { money: 'Money' }, fields })).toEqual([
    'Thing.thi_a: area "mony" is not among the "areas" of the object',
  ])
})

test.each([
  [{ type: 'integer', default: 'x' }, 'number'],
  [{ type: 'enum', values: ['a'], default: 'b' }, 'a'],
  [{ type: 'string', length: 2, default: 'abc' }, '2'],
] as const)('a default that is not a value of its field is refused: %j', (field, text) => {
  expect(problemsOf({ name: 'Thing', fields: { thi_field: field } })).toEqual([
    expect.stringMatching(new RegExp(`Thing.thi_field.default: .*${text}`)),
  ])
})

const two = { a: { type: 'integer' }, b: { type: 'string' } } as const

test.each([
  [
    { row_id: { type: 'id', fields: ['a'] } },
    'Thing.row_id.fields: needs at least two fields; a key of one column is mapped by "column"',
  ],
  [{ row_id: { type: 'id', fields: ['a', 'none'] } }, 'Thing.row_id.fields: "none" is not a field of the object'],
  [
    { row_id: { type: 'id', fields: ['a', 'j'] }, j: { type: 'object' } },
    'Thing.row_id.fields: field "j" of type "object" cannot be part of a row id',
  ],
  [{ row_id: { type: 'id', fields: ['a', 'b'], column: 'x' } }, 'Thing.row_id: "column" does not go with "fields"'],
  [{ row_id: { type: 'id', fields: ['a', 'b'] }, up: { type: 'reference', object: 'Thing' } }, 'via: [a, b]'],
  [
    { up: { type: 'reference', object: 'Thing', via: ['a', 'b'] } },
    'Thing.up.via: the row id of "Thing" is one column; leave "via" out',
  ],
  [
    {
      row_id: { type: 'id', fields: ['a', 'b'] },
      up: { type: 'reference', object: 'Thing', via: ['a', 'b'], onDelete: 'setNull' },
    },
    'Thing.up: onDelete "setNull" does not go with "a", which is required',
  ],
] as const)('mistakes in keys of several fields are reported: %j', (fields, text) => {
  expect(problemsOf({ name: 'Thing', fields: { ...two, ...fields } }).join('\n')).toContain(text)
})

test('an object with a view is read-only, without timestamps, and takes nothing that belongs to a table', () => {
  const view = 'select max(row_id) as row_id, cit_name from city group by cit_name'
  const fields = { cit_name: { type: 'string' } } as const
  const names = createModel([City, Country, { name: 'CityName', view, fields }]).object('CityName')
  expect([names.readOnly, names.isMapped, names.technical]).toEqual([true, true, []])
  expect(problemsOf({ name: 'A', view: 'delete from city; select 1', fields, readOnly: false, audit: true })).toEqual([
    'A.view: must be one query that begins with "select" or "with", without a semicolon',
    'A.readOnly: a view made by "view" takes no writes',
    'A.audit: does not go with "view"',
  ])
  expect(problemsOf({ name: 'B', view: { mssql: 'with a as (select 1) select * from a' }, fields })).toEqual([
    'B.view: on SQL Server it must begin with "select"',
  ])
  expect(problemsOf({ name: 'C', view, fields: { ...fields, file: { type: 'document' } } })).toEqual([
    'C.file: a field of type "document" does not go with "view"',
  ])
})
