import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DefinitionError } from '../../errors.js'
import { createModel } from '../model/create-model.js'
import { loadObjectFile, loadObjectFiles, parseObjectFile } from './load-file.js'

const movie = `
# A comment
name: Movie
label: Movie
order: [-mov_year, mov_title]
fields:
  mov_title: { type: string, length: 100, key: true }
  mov_year: { type: integer, min: 1888, default: 2024 }
  mov_state:
    type: enum
    values: [DRAFT, { code: PUB, label: Published }]
  mov_shown: { type: date, default: 2024-01-01 }
  mov_next: { type: reference, object: Movie, onDelete: setNull }
states:
  field: mov_state
  transitions:
    - { from: DRAFT, to: PUB, groups: [EDITORS] }
`

async function mistakes(text: string): Promise<readonly string[]> {
  try {
    await parseObjectFile(text, 'objects/movie.yaml')
  } catch (error) {
    if (!DefinitionError.is(error)) throw error
    return error.messages.map((message) => message.replace(/^objects\/movie\.yaml:/, ''))
  }
  return []
}

describe('parseObjectFile()', () => {
  test('gives the definition of a YAML text, from which a model can be made', async () => {
    const definition = await parseObjectFile(movie, 'movie.yaml')
    expect(definition.fields['mov_shown']).toEqual({ type: 'date', default: '2024-01-01' })
    expect(
      createModel([definition])
        .object('Movie')
        .key.map(({ name }) => name),
    ).toEqual(['mov_title'])
  })

  test('a definition with actions or hooks is refused, with where they belong', async () => {
    const text = 'name: Movie\nfields: { mov_title: { type: string } }\nhooks: {}\nactions: { see: {} }\n'
    const advice =
      'is code; put it into a module of the same name beside this file (ticket.ts of ticket.yaml): export default defineCode({ … })'
    expect(await mistakes(text)).toEqual([`3:1 hooks ${advice}`, `4:1 actions ${advice}`])
  })

  test('reads JSON too, indented with tabs, and drops the address of the schema', async () => {
    const definition = { name: 'Movie', fields: { mov_title: { type: 'string' } } }
    const text = JSON.stringify({ $schema: './object.json', ...definition }, null, '\t')
    expect(await parseObjectFile(text, 'movie.json')).toEqual(definition)
  })

  test('lists every mistake with its line and column', async () => {
    expect(
      await mistakes(`name: 1st
pagesize: 10
fields:
  mov_year:
    type: integr
    requird: true
  mov_title: { type: string, lenght: 5, length: 0, precision: 3 }
  mov_state: { type: enum, values: [1, a, { code: b, lable: B }] }
  mov_code: {}
  mov_note: text
  mov_genre: { type: reference }
  mov year: { type: date }
order: mov_year
pageSize: 1.5
readOnly: "yes"
states: { field: mov_state, transitions: [{ from: 5, to: x }] }
`),
    ).toEqual([
      '1:7 name must match ^[A-Za-z][A-Za-z0-9_]{0,62}$, not "1st"',
      '2:1 pagesize is not known here; did you mean "pageSize"?',
      '5:11 fields.mov_year.type must be one of id, reference, string, text, integer, decimal, boolean, date, datetime, time, enum, multi-enum, password, url, email, phone, color, html, regexp, document, image, geocoords, object, not "integr"; did you mean "integer"?',
      '7:30 fields.mov_title.lenght is not known here; did you mean "length"?',
      '7:49 fields.mov_title.length must be at least 1, not 0',
      '7:52 fields.mov_title.precision is not known here; known are type, label, help, required, default, area, column, key, unique, index, readOnly, createOnly, hidden, renamedFrom, length, pattern, allowEmpty',
      '8:37 fields.mov_state.values.0 must be text or a map of names to values, not 1; put it in quotes: "1"',
      '8:54 fields.mov_state.values.2.lable is not known here; did you mean "label"?',
      '9:13 fields.mov_code needs "type"',
      '10:13 fields.mov_note must be a map of names to values, not "text"',
      '11:14 fields.mov_genre needs "object"',
      '12:3 fields.mov year is not a good name: A field name has letters, digits and _, starts with a letter and has at most 63 characters.',
      '13:8 order must be a list, not "mov_year"',
      '14:11 pageSize must be a whole number, not 1.5',
      '15:11 readOnly must be true or false, not "yes"',
      '16:51 states.transitions.0.from must be text or a list, not 5; put it in quotes: "5"',
    ])
  })

  test.each([
    ['an empty text', '', ['1:1 is empty; it needs "name" and "fields"']],
    ['only a comment', '# nothing', ['1:1 is empty; it needs "name" and "fields"']],
    ['a list', '- name: A', ['1:1 must be a map of names to values, not a list']],
    ['no fields', 'name: A', ['1:1 needs "fields"']],
    ['fields without any', 'name: A\nfields: {}', ['2:9 fields must not be empty']],
    [
      'an empty list of values',
      'name: A\nfields: { a: { type: enum, values: [] } }',
      ['2:36 fields.a.values must not be empty'],
    ],
    ['a key twice', 'name: A\nname: B', ['2:1 Map keys must be unique']],
    ['two documents', 'name: A\n---\nname: B', ['2:1 contains a second object; each one needs its own file']],
    [
      'an alias without anchor',
      'name: A\nfields: *all',
      ['1:1 Unresolved alias (the anchor must be set before the alias): all'],
    ],
    [
      'an unknown key',
      'name: A\nfields: { a: { type: string } }\ncolour: red',
      [
        '3:1 colour is not known here; known are name, label, pluralLabel, help, table, renamedFrom, view, fields, order, pageSize, timestamps, readOnly, states, icon, areas, indexable, display, audit, events, publications, crosstabs',
      ],
    ],
  ])('refuses %s', async (_, text, expected) => {
    expect(await mistakes(text)).toEqual(expected)
  })

  test('says where the syntax is broken', async () => {
    expect((await mistakes('name: A\nfields: {\n  a: {'))[0]).toMatch(/^3:\d+ /)
    expect((await mistakes('{"name": "A", "fields": {'))[0]).toMatch(/^1:\d+ /)
    expect((await mistakes('name: "A'))[0]).toMatch(/^1:\d+ /)
  })

  test('__proto__ is a bad name like any other', async () => {
    expect(
      await mistakes('name: A\nfields: { __proto__: { type: string }, a: { type: string, __proto__: 5 } }'),
    ).toEqual([
      '2:11 fields.__proto__ is not a good name: A field name has letters, digits and _, starts with a letter and has at most 63 characters.',
      expect.stringMatching(/^2:59 fields\.a\.__proto__ is not known here; known are /),
    ])
  })

  test('aliases that unfold to something huge are refused', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 9; i++) {
      const [before, name] = [String.fromCharCode(96 + i), String.fromCharCode(97 + i)]
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`)
    }
    expect(await mistakes(lines.join('\n'))).toEqual([
      '1:1 Excessive alias count indicates a resource exhaustion attack',
    ])
  })
})

describe('loadObjectFile()', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'steward-objects-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('reads a file, also with a byte order mark', async () => {
    const path = join(folder, 'movie.yaml')
    await writeFile(path, `\ufeff${movie}`)
    expect((await loadObjectFile(path)).name).toBe('Movie')
  })

  test('names the file in its errors', async () => {
    const path = join(folder, 'broken.yaml')
    await writeFile(path, 'name: A')
    await expect(loadObjectFile(path)).rejects.toThrow(`${path}:1:1 needs "fields"`)
    const missing = join(folder, 'missing.yaml')
    await expect(loadObjectFile(missing)).rejects.toThrow(`${missing} cannot be read: ENOENT`)
    await expect(loadObjectFile(missing)).rejects.toBeInstanceOf(DefinitionError)
  })
})

test('loadObjectFiles() reads several objects, and reports mistakes of all with their lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-files-'))
  const path = join(folder, 'all.yaml')
  const one = (name: string, type: string) => `name: ${name}\nfields:\n  a: { type: ${type} }\n`
  await writeFile(path, `# left out\n---\n${one('A', 'text')}---\n# B\n${one('B', 'date')}`)
  expect((await loadObjectFiles(path)).map(({ name }) => name)).toEqual(['A', 'B'])
  await writeFile(path, `${one('A', 'nothing')}---\n${one('B', 'nothing')}`)
  await expect(loadObjectFiles(path)).rejects.toMatchObject({
    messages: [expect.stringContaining('all.yaml:3:14'), expect.stringContaining('all.yaml:7:14')] as string[],
  })
  await writeFile(path, '\n')
  await expect(loadObjectFiles(path)).rejects.toThrow('is empty')
  await rm(folder, { recursive: true })
})
