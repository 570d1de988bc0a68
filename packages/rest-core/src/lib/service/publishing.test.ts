import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'
import { XMLParser } from 'fast-xml-parser'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DefinitionError, RestError } from '../../errors.js'
import { loadObjectFile } from '../definition/load-file.js'
import { createDiskDocumentStore } from '../documents/disk-document-store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import type { ObjectModel } from '../model/model.js'
import { createFilmModel } from '../publications/film-for-test.js'
import { makeDocx, partOf, textOfDocx, textOfPdf } from '../publications/office-for-test.js'
import type { PublicationDefinition } from '../publications/publication.js'
import { createRights } from '../rights/create-rights.js'
import type { GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from './create-business-objects.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-publishing-'))
})
afterAll(() => rm(folder, { recursive: true }))

const boss = systemPrincipal({ login: 'boss' })
const picture = async (format: 'png' | 'jpeg' | 'webp', width = 300) =>
  (
    await sharp({ create: { width, height: 200, channels: 3, background: 'teal' } })
      .toFormat(format)
      .toBuffer()
  ).toString('base64')

async function setUp(publications: Record<string, PublicationDefinition>) {
  const model = createFilmModel(publications)
  const documents = createDiskDocumentStore({ folder: join(folder, 'documents') })
  const service = createBusinessObjects({
    model,
    store: createMemoryStore(),
    documents,
    clock: () => new Date('2026-05-06T12:00:00Z'),
  })
  const user = (login: string, ...grants: GrantData[]) =>
    createPrincipal({ login, groups: [login], rights: createRights(model, grants, { LOGIN: login }) })
  const studio = await service.create(boss, 'Studio', { stu_name: 'Fox' })
  const add = async (fil_title: string, values: object = {}) =>
    (await service.create(boss, 'Film', { fil_title, fil_studio_id: studio.row_id, ...values })).row_id
  const publish = async (name: string, request: object = {}, principal = boss) => {
    const document = await service.publish(principal, 'Film', name, request)
    const bytes =
      document.content instanceof Uint8Array ? Buffer.from(document.content) : await buffer(document.content)
    return { name: document.name, mime: document.mime, bytes, text: bytes.toString('utf8') }
  }
  return { service, user, add, publish }
}

const refusal = async (call: Promise<unknown>): Promise<RestError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!RestError.is(error)) throw new Error(`not refused by a RestError: ${String(error)}`)
  return error
}

const alien = {
  fil_year: 1979,
  fil_cost: '1234.5',
  fil_state: 'new',
  fil_tags: ['a', 'b'],
  fil_day: '1979-05-25',
  fil_at: '1979-05-25 20:15:00',
  fil_seen: true,
}

describe('definitions', () => {
  const mistakes = (publications: Record<string, unknown>): readonly string[] => {
    try {
      createFilmModel(publications as Record<string, PublicationDefinition>)
      return []
    } catch (error) {
      if (DefinitionError.is(error)) return error.messages
      throw error
    }
  }

  test('every mistake is reported with its publication', () => {
    expect(
      mistakes({
        'a b': { format: 'json' },
        form: { format: 'odt' },
        scope: { format: 'json', scope: 'all' },
        html: { format: 'html' },
        docx: { format: 'docx', template: 'x' },
        xlsx: { format: 'xlsx', template: 'x' },
        both: { format: 'txt', template: 'x', file: '/x.txt' },
        fields: { format: 'csv', fields: ['fil_title', 'fil_nope', 'fil_secret'] },
        unused: { format: 'html', template: 'x', fields: ['fil_title'] },
        typo: { format: 'txt', template: 'a\n{{fil_titel}}' },
        name: { format: 'json', fileName: '{{fil_nope}}.json' },
        many: { format: 'json', scope: 'global', fileName: '{{fil_title}}.json' },
        relative: { format: 'txt', file: 'x.txt' },
      }),
    ).toEqual([
      'Film.publications.a b: a name has letters, digits, "_" and "-", starts with a letter and has at most 63 characters',
      'Film.publications.form: format is "odt"; it must be one of html, md, txt, csv, json, xml, docx, xlsx, pdf',
      'Film.publications.scope: scope is "all"; it must be one of record, global, both',
      'Film.publications.html: html needs "template" or "file"',
      'Film.publications.docx: docx needs "file", a Word document with {tags}',
      'Film.publications.docx: docx takes no "template"',
      'Film.publications.xlsx: xlsx is a table of "fields" and takes no template',
      'Film.publications.both: it has "template" and "file"; give one of them',
      expect.stringContaining('Film.publications.both: file /x.txt cannot be read: ENOENT'),
      'Film.publications.fields: fields: "Film" has no field "fil_nope"',
      'Film.publications.fields: fields: "Film" has no field "fil_secret"',
      'Film.publications.unused: "fields" are for tables without a template',
      'Film.publications.typo: template: line 2: "Film" has no field "fil_titel"',
      'Film.publications.name: fileName: line 1: "Film" has no field "fil_nope"',
      'Film.publications.many: fileName: line 1: this place has no field "fil_title"',
      expect.stringContaining('Film.publications.relative: file "x.txt" is relative'),
    ])
  })

  test('a file is looked for beside the definition, and a missing one is reported at the start', async () => {
    const path = join(folder, 'thing.yaml')
    const yaml = (file: string): string =>
      `name: Thing\nfields: { thi_name: { type: string, key: true } }\npublications: { sheet: { format: txt, file: ${file} } }\n`
    await writeFile(join(folder, 'sheet.txt'), '\ufeffName: {{thi_name}}')
    await writeFile(path, yaml('./sheet.txt'))
    const object = createModel([await loadObjectFile(path)]).object('Thing')
    expect(object.publications.get('sheet')?.template?.needs.fields).toEqual(new Set(['thi_name']))
    await writeFile(path, yaml('missing.txt'))
    const definition = await loadObjectFile(path)
    expect(() => createModel([definition])).toThrow(`file ${join(folder, 'missing.txt')} cannot be read: ENOENT`)
  })

  test('a template of a file URL names the file in its mistakes', async () => {
    const url = pathToFileURL(join(folder, 'wrong.txt'))
    await writeFile(url, '{{fil_nope}}')
    expect(mistakes({ p: { format: 'txt', file: url } })).toEqual([
      `Film.publications.p: ${url.href}: line 1: "Film" has no field "fil_nope"`,
    ])
  })
})

describe('rights and scopes', () => {
  const publications = {
    sheet: { format: 'txt', template: '{{fil_title}} {{fil_year}}', fileName: '{{fil_title}} {{@user.login}}' },
    list: { format: 'txt', scope: 'global', template: '{{#each records}}{{fil_title}} {{/each}}' },
    any: { format: 'txt', scope: 'both', template: '{{#each records}}{{fil_title}}{{/each}}/{{count}}' },
    closed: { format: 'json', scope: 'global', groups: ['ADMIN'] },
    table: { format: 'csv', scope: 'global', fields: ['fil_title', 'fil_year'] },
  } as const

  test('a record as this user may see it', async () => {
    const { user, add, publish } = await setUp(publications)
    const id = await add('Alien', alien)
    const other = await add('Brazil')
    expect(await publish('sheet', { rowId: id })).toMatchObject({
      text: 'Alien 1979',
      name: 'Alien boss.txt',
      mime: 'text/plain',
    })
    const some = user('some', { object: 'Film', letters: 'R', filter: "fil_title = 'Alien'", hidden: ['fil_year'] })
    expect((await publish('sheet', { rowId: id }, some)).text).toBe('Alien ')
    expect((await publish('list', {}, some)).text).toBe('Alien ')
    expect((await publish('table', {}, some)).text).toBe('Title\r\nAlien\r\n')
    expect((await refusal(publish('sheet', { rowId: other }, some))).code).toBe('ERR_NOT_FOUND')
  })

  test('who may not is refused', async () => {
    const { user, publish } = await setUp(publications)
    const nobody = user('nobody', { object: 'Film', letters: 'CUD' })
    expect((await refusal(publish('list', {}, nobody))).code).toBe('ERR_RIGHT')
    const reader = user('reader', { object: 'Film', letters: 'R', publications: ['list'] })
    expect((await publish('list', {}, reader)).text).toBe('')
    expect((await refusal(publish('table', {}, reader))).code).toBe('ERR_RIGHT')
    expect((await refusal(publish('nope', {}, reader))).code).toBe('ERR_NOT_FOUND')
    expect((await refusal(publish('closed', {}, user('x', { object: 'Film', letters: 'R' })))).code).toBe('ERR_RIGHT')
    expect((await publish('closed', {}, user('ADMIN', { object: 'Film', letters: 'R' }))).text).toBe('[]')
  })

  test('the search applies: filters, order, page', async () => {
    const { add, publish } = await setUp(publications)
    for (const title of ['a', 'b', 'c', 'd']) await add(title)
    const order = [{ field: 'fil_title', descending: true }]
    expect((await publish('list', { search: { order, filters: { fil_title: '<>c' } } })).text).toBe('d b a ')
    expect((await publish('list', { search: { order, page: 1, pageSize: 3 } })).text).toBe('a ')
    const wrong = await refusal(publish('list', { search: { filters: { fil_nope: '1' } } }))
    expect(wrong.messages).toMatchObject([{ code: 'ERR_UNKNOWN_FIELD', field: 'fil_nope' }])
  })

  test('record-level, global, or both', async () => {
    const { add, publish } = await setUp(publications)
    const id = await add('Alien')
    await add('Brazil')
    expect((await refusal(publish('sheet'))).message).toContain('one record')
    expect((await refusal(publish('list', { rowId: id }))).message).toContain('as a whole')
    expect((await publish('any', { rowId: id })).text).toBe('Alien/1')
    expect((await publish('any')).text).toBe('AlienBrazil/2')
  })

  test('a name of a file holds nothing that systems refuse, and keeps its ending', async () => {
    const { add, publish } = await setUp(publications)
    const name = async (title: string) => (await publish('sheet', { rowId: await add(title) })).name
    expect(await name('../../etc/pass"wd\r\nX: y')).toBe('etc pass wd X y boss.txt')
    expect(await name('Überfall 🎬.exe')).toBe('Überfall 🎬.exe boss.txt')
    expect(await name('x'.repeat(150))).toBe(`${'x'.repeat(100)}.txt`)
  })
})

describe('tables', () => {
  test('csv: labels, values as people read them, one line per record', async () => {
    const { add, publish } = await setUp({ table: { format: 'csv', scope: 'both' } })
    const id = await add('Alien', { ...alien, fil_text: '=1+1' })
    await add('A "b", c')
    const { text } = await publish('table')
    const [head, ...lines] = parse(text)
    expect(head).toEqual([
      'Title',
      'Year',
      'Cost',
      'fil_state',
      'fil_tags',
      'fil_day',
      'fil_at',
      'fil_seen',
      'fil_data',
      'fil_text',
      'Studio',
      'Studio / Studio',
    ])
    expect(lines[0]).toEqual([
      'Alien',
      '1979',
      '1234.50',
      'Brand new',
      'Action, b',
      '1979-05-25',
      '1979-05-25 20:15:00',
      'true',
      '',
      "'=1+1",
      '1',
      'Fox',
    ])
    expect(lines[1]?.[0]).toBe('A "b", c')
    expect(parse((await publish('table', { rowId: id })).text)).toHaveLength(2)
  })

  test('json and xml: values as a search answers them', async () => {
    const fields = ['fil_title', 'fil_tags', 'fil_data', 'fil_cost']
    const { add, publish } = await setUp({
      json: { format: 'json', scope: 'both' },
      xml: { format: 'xml', scope: 'both', fields },
    })
    const id = await add('Alien <&> "x"', { ...alien, fil_data: { a: [1] } })
    await add('Brazil')
    expect(JSON.parse((await publish('json', { rowId: id })).text)).toMatchObject({
      row_id: id,
      fil_title: 'Alien <&> "x"',
      fil_cost: 1234.5,
      fil_tags: ['a', 'b'],
      fil_data: { a: [1] },
      fil_studio_id__stu_name: 'Fox',
    })
    expect(JSON.parse((await publish('json')).text)).toMatchObject([{ row_id: id }, { fil_title: 'Brazil' }])
    const read = (text: string) => new XMLParser({ parseTagValue: false }).parse(text)
    expect(read((await publish('xml', { rowId: id })).text).Film).toEqual({
      fil_title: 'Alien <&> "x"',
      fil_tags: { value: ['a', 'b'] },
      fil_data: '{"a":[1]}',
      fil_cost: '1234.5',
    })
    expect(read((await publish('xml')).text).FilmList.Film).toHaveLength(2)
  })

  test('have no limit, and are read as they are taken; other documents have one', async () => {
    const { service, publish } = await setUp({
      table: { format: 'csv', scope: 'global', fields: ['fil_title'] },
      text: { format: 'txt', scope: 'global', template: '{{count}}' },
      pdf: { format: 'pdf', scope: 'global', fields: ['fil_title'] },
    })
    await service.transaction(async (inside) => {
      for (let n = 0; n <= 10_000; n++) await inside.create(boss, 'Film', { fil_title: `Film ${n}` })
    })
    expect((await publish('table')).text.split('\r\n')).toHaveLength(10_003)
    const { status, message } = await refusal(publish('text'))
    expect([status, message]).toEqual([400, expect.stringContaining('more than the 10000 records')])
    expect((await refusal(publish('pdf'))).message).toContain('more than the 1000 records')
    expect((await publish('text', { search: { page: 0, pageSize: 7 } })).text).toBe('7')
    const { content } = await service.publish(boss, 'Film', 'table')
    if (content instanceof Uint8Array) throw new Error('not a stream')
    content.destroy()
    await new Promise((resolve) => content.once('close', resolve))
  })
})

test('documents hold a limited amount of text, whatever the number of records', async () => {
  const { add: create, publish } = await setUp({
    text: { format: 'txt', scope: 'global', template: '{{#each records}}{{fil_text}}{{/each}}' },
    pdf: { format: 'pdf', scope: 'global', fields: ['fil_text'] },
  })
  const add = async (fil_text: string) => create(`Film ${fil_text.length}`, { fil_text })
  for (let n = 0; n < 5; n++) await add('x'.repeat(1_000_000 + n))
  expect((await refusal(publish('pdf'))).message).toContain('more than the 4194304 characters')
  expect((await publish('text')).text.length).toBeGreaterThan(5_000_000)
  await add('\n'.repeat(200_001))
  expect((await refusal(publish('text'))).message).toContain('more than the 200000 lines of text')
})

test('a document that its client no longer waits for is not made', async () => {
  const { add, service } = await setUp({ pdf: { format: 'pdf', fields: ['fil_title'] } })
  const rowId = await add('Alien')
  const signal = AbortSignal.abort()
  await expect(service.publish(boss, 'Film', 'pdf', { rowId, signal })).rejects.toMatchObject({
    code: 'ERR_UNAVAILABLE',
  })
})

describe('pictures', () => {
  const template = '{{fil_title}}{{image fil_poster width=50}}'

  test('are data URIs in html and md; what is none is left out', async () => {
    const { add, publish } = await setUp({
      html: { format: 'html', template },
      source: { format: 'html', template: '<img src="{{image fil_poster thumbnail=true}}">' },
      md: { format: 'md', template: '{{image fil_poster}}' },
    })
    const content = await picture('png')
    const id = await add('A', { fil_poster: { name: 'po"ster.png', content } })
    expect((await publish('html', { rowId: id })).text).toBe(
      `A<img src="data:image/png;base64,${content}" alt="po&quot;ster.png" width="50">`,
    )
    expect((await publish('md', { rowId: id })).text).toBe(`![po"ster.png](data:image/png;base64,${content})`)
    const [, uri = ''] =
      /src="data:image\/webp;base64,([^"]+)"/.exec((await publish('source', { rowId: id })).text) ?? []
    expect(await sharp(Buffer.from(uri, 'base64')).metadata()).toMatchObject({ format: 'webp', width: 200 })
    const none = await add('B')
    expect((await publish('html', { rowId: none })).text).toBe('B')
    // It starts like a picture, and is none.
    const broken = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1').toString('base64')
    const damaged = await add('C', { fil_poster: { name: 'x.png', content: broken } })
    expect((await publish('source', { rowId: damaged })).text).toBe('<img src="">')
  })

  test('are not for those who do not see the field', async () => {
    const { add, publish, user } = await setUp({ html: { format: 'html', template } })
    const id = await add('A', { fil_poster: { name: 'p.png', content: await picture('png') } })
    const some = user('some', { object: 'Film', letters: 'R', hidden: ['fil_poster'] })
    expect((await publish('html', { rowId: id }, some)).text).toBe('A')
  })
})

describe('docx', () => {
  const letter = async (name: string, ...paragraphs: string[]): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, makeDocx(paragraphs))
    return file
  }

  test('tags become values, pictures and loops', async () => {
    const { add, publish } = await setUp({
      letter: {
        format: 'docx',
        file: await letter(
          'letter.docx',
          'Dear {fil_title}',
          '{fil_state} {fil_tags} {fil_poster}',
          '{#fil_seen}seen{/fil_seen}',
        ),
      },
      list: {
        format: 'docx',
        scope: 'global',
        file: await letter('list.docx', '{count} films', '{#records}', '{fil_title} ({fil_data})', '{/records}'),
      },
    })
    const title = 'A <w:b/> & {fil_state}\nline'
    const id = await add(title, { ...alien, fil_poster: { name: 'p.webp', content: await picture('webp') } })
    await add('B', { fil_data: { _type: 'rawXml', xml: '<w:p>evil</w:p>' } })
    const made = await publish('letter', { rowId: id })
    expect(made).toMatchObject({ name: 'letter.docx', mime: expect.stringContaining('wordprocessingml') })
    expect(textOfDocx(made.bytes)).toBe('Dear A <w:b/> & {fil_state}line|Brand new Action, b |seen')
    const media = partOf(made.bytes, /^word\/media\/.*\.png$/)
    expect(await sharp(media).metadata()).toMatchObject({ format: 'png', width: 300 })
    const list = await publish('list')
    expect(textOfDocx(list.bytes)).toContain(
      '2 films|A <w:b/> & {fil_state}line ()|B ({"_type":"rawXml","xml":"<w:p>evil</w:p>"})',
    )
  })

  test('a tag that is not a field is an error that names template and field', async () => {
    await writeFile(join(folder, 'broken.docx'), 'no zip')
    const { add, publish } = await setUp({
      wrong: { format: 'docx', file: await letter('wrong.docx', '{fil_nope}') },
      outside: { format: 'docx', scope: 'global', file: await letter('outside.docx', '{fil_title}') },
      broken: { format: 'docx', file: join(folder, 'broken.docx') },
    })
    const rowId = await add('A')
    const { code, message } = await refusal(publish('wrong', { rowId }))
    expect([code, message]).toEqual([
      'ERR_INTERNAL',
      expect.stringMatching(/Film\.publications\.wrong: .*wrong\.docx: "Film" has no field "fil_nope"/),
    ])
    expect((await refusal(publish('outside'))).message).toContain('between {#records} and {/records}')
    expect((await refusal(publish('broken', { rowId }))).message).toContain('is not a Word template that can be read')
  })
})

test('xlsx: labels, then typed cells', async () => {
  const fields = ['fil_title', 'fil_year', 'fil_cost', 'fil_state', 'fil_day', 'fil_at', 'fil_seen', 'fil_text']
  const { add, publish } = await setUp({ list: { format: 'xlsx', scope: 'global', fields } })
  await add('=1+1', { ...alien, fil_text: 'a\u0007b <&>' })
  await add('Old', { fil_day: '1066-10-14', fil_cost: '12345678901234567890.5' })
  const { bytes, mime } = await publish('list')
  expect(mime).toContain('spreadsheetml')
  const read = (name: RegExp) =>
    new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false }).parse(
      partOf(bytes, name).toString(),
    )
  expect(read(/workbook\.xml$/).workbook.sheets.sheet['@_name']).toBe('Films')
  const strings = [read(/sharedStrings\.xml$/).sst.si].flat().map(({ t }) => t['#text'] ?? t)
  const rows = read(/sheet1\.xml$/).worksheet.sheetData.row as { c: { '@_t'?: string; v?: string; f?: string }[] }[]
  const cells = rows.map(({ c }) =>
    c.map(({ '@_t': type, v, f }) =>
      f === undefined ? (type === 's' ? strings[Number(v)] : [type ?? 'n', v]) : 'formula',
    ),
  )
  expect(cells[0]).toEqual(['Title', 'Year', 'Cost', 'fil_state', 'fil_day', 'fil_at', 'fil_seen', 'fil_text'])
  const serial = Date.UTC(1979, 4, 25) / 86_400_000 + 25_569
  expect(cells[1]).toEqual([
    '=1+1',
    ['n', '1979'],
    ['n', '1234.5'],
    'Brand new',
    ['n', String(serial)],
    ['n', String(serial + 0.84375)],
    ['b', '1'],
    'ab <&>',
  ])
  const styles = read(/styles\.xml$/).styleSheet
  const formats = [styles.numFmts.numFmt].flat().map((format) => format['@_formatCode'] as string)
  expect(formats).toContain('0.00')
  expect(cells[2]).toEqual(expect.arrayContaining(['Old', '12345678901234567890.50', '1066-10-14', ['b', '0']]))
})

describe('pdf', () => {
  test('a table with a title, and pictures', async () => {
    const { add, publish } = await setUp({
      list: {
        format: 'pdf',
        scope: 'global',
        label: 'All films',
        fields: ['fil_title', 'fil_year', 'fil_state', 'fil_poster'],
      },
    })
    await add('Амели été', { ...alien, fil_poster: { name: 'p.webp', content: await picture('webp') } })
    const { bytes, mime, name } = await publish('list')
    expect([mime, name]).toEqual(['application/pdf', 'list.pdf'])
    const { pages, text, pictures } = textOfPdf(bytes)
    expect([pages, pictures]).toEqual([1, 1])
    expect(text).toContain('All films')
    for (const part of ['Title', 'Year', 'Амели', 'été', '1979', 'Brand', 'new', '1 / 1']) expect(text).toContain(part)
  })

  test('a template is a document definition; data cannot change it, and nothing outside is opened', async () => {
    const definition = (content: string): PublicationDefinition => ({
      format: 'pdf',
      template: `{"content": ${content}}`,
    })
    const { add, publish } = await setUp({
      sheet: definition(
        '["Film {{fil_title}}", {"text": "p2", "pageBreak": "before"}, {"image": "{{image fil_poster}}"}]',
      ),
      file: definition('[{"image": "{{fil_title}}"}]'),
      json: definition('["a" "b"]'),
    })
    const rowId = await add('A"}], "x": [{"text": "B')
    const { pages, text } = textOfPdf((await publish('sheet', { rowId })).bytes)
    expect(pages).toBe(2)
    expect(text).toContain('Film A"}], "x": [{"text": "B')
    for (const path of ['/etc/passwd', 'http://127.0.0.1:9/x.png']) {
      const { code, message } = await refusal(publish('file', { rowId: await add(path) }))
      expect([code, message]).toEqual(['ERR_INTERNAL', expect.stringMatching(/denied|policy|Invalid image/i)])
    }
    expect((await refusal(publish('json', { rowId }))).message).toContain(
      'Film.publications.json: the template made no JSON',
    )
  })
})

test('json of a template that is none is an error that names it', async () => {
  const { add, publish } = await setUp({
    bad: { format: 'json', template: '{"a": {{#if fil_seen}}1{{/if}} }' },
    good: {
      format: 'json',
      scope: 'global',
      template: '[{{#each records}}"{{fil_title}}"{{#unless @last}},{{/unless}}{{/each}}]',
    },
  })
  const rowId = await add('a"b')
  await add('c')
  expect((await refusal(publish('bad', { rowId }))).message).toContain(
    'Film.publications.bad: the template made no JSON',
  )
  expect(JSON.parse((await publish('good')).text)).toEqual(['a"b', 'c'])
})

test('a model without publications needs no template engine', () => {
  const object: ObjectModel = createFilmModel().object('Film')
  expect(object.publications.size).toBe(0)
})
