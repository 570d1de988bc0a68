import { Validator } from '@seriousme/openapi-schema-validator'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type RunningApp } from '../../tests/programs/app-server.js'
import { codeBlocks, tableRows } from '../../tests/programs/markdown.js'
import { runShell, shellIsMissing, unexpectedOutputs } from '../../tests/programs/shell.js'

const example = fileURLToPath(new URL('.', import.meta.url))
let data: string
let app: RunningApp

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'steward-catalog-'))
  app = await startApp([example, '--data', data])
})
afterAll(async () => {
  await app?.stop()
  await rm(data, { recursive: true })
})

/** The only record that a search finds. */
async function find(address: string) {
  const { status, body } = await app.call(address)
  expect([status, body.length]).toEqual([200, 1])
  return body[0]
}

test('the set-up fills the catalogue once', async () => {
  const counts = await Promise.all(
    ['Movie', 'Genre', 'Director', 'Distributor', 'Review'].map(
      async (object) => (await app.call(`/${object}/?_count=true`)).body.count,
    ),
  )
  expect(counts).toEqual([3200, 12, 550, 174, 0])
  expect(app.errors()).toContain('setup.ts filled the application')
})

test.each(['openapi', 'swagger-2.0'])('its documentation as %s is valid', async (output) => {
  const { status, body } = await app.call(`/_doc?_output=${output}`)
  expect(status).toBe(200)
  expect(await new Validator().validate(body)).toMatchObject({ valid: true })
})

test('a movie comes with fields of what it refers to', async () => {
  expect(await find('/Movie/?mov_title=Jaws')).toMatchObject({
    mov_released: '1975-06-20',
    mov_budget: 12_000_000,
    mov_rating: 8.3,
    mov_mpaa: 'PG',
    mov_state: 'listed',
    mov_genre_id__gen_name: 'Horror',
    mov_director_id__dir_name: 'Steven Spielberg',
    mov_distributor_id__dis_name: 'Universal',
  })
})

test.for(tableRows(new URL('../../docs/filters.md', import.meta.url), 'Examples'))(
  'docs/filters.md: %s',
  async ([filter = '', , count = '']) => {
    const at = filter.indexOf('=')
    const { status, body } = await app.call(
      `/Movie/?_count=true&${filter.slice(0, at)}=${encodeURIComponent(filter.slice(at + 1))}`,
    )
    expect([status, body.count]).toEqual([200, Number(count.replace(',', ''))])
  },
)

test('docs/pivot-tables.md: calls are answered, as far as answers are shown with these', async () => {
  const page = new URL('../../docs/pivot-tables.md', import.meta.url)
  const answers = codeBlocks(page, 'json')
  for (const [at, call] of codeBlocks(page, 'http').entries()) {
    const { status, body } = await app.call(encodeURI(call.trim().replace('GET ', '')))
    expect(status).toBe(200)
    if (at < answers.length) expect(body).toEqual(JSON.parse(answers[at] ?? ''))
  }
})

test('a state changes along its transitions only, and a new movie starts in the first', async () => {
  const { row_id: id } = await find('/Movie/?mov_title=Jaws')
  const move = async (state: string) => app.call(`/Movie/${id}`, { method: 'PUT', body: { mov_state: state } })
  expect((await move('featured')).body.mov_state).toBe('featured')
  expect((await move('withdrawn')).body.mov_state).toBe('withdrawn')
  expect(await move('featured')).toMatchObject({
    status: 400,
    body: {
      messages: [
        { code: 'ERR_TRANSITION', field: 'mov_state', text: expect.stringContaining('allowed from there: listed') },
      ],
    },
  })
  expect((await move('listed')).body.mov_state).toBe('listed')
  const born = await app.call('/Movie', {
    body: { mov_code: 'M90001', mov_title: 'Born featured', mov_state: 'featured' },
  })
  expect(born).toMatchObject({ status: 400, body: { messages: [{ code: 'ERR_TRANSITION' }] } })
})

test('only administrators bring a withdrawn movie back', async () => {
  const create = async (object: string, body: object) => (await app.call(`/${object}`, { body })).body.row_id as string
  const group = await create('Group', { grp_name: 'EDITOR' })
  const user = await create('User', { usr_login: 'ann', usr_password: 'secret-one' })
  await create('Responsibility', { rsp_login_id: user, rsp_group_id: group })
  await create('Grant', { grt_group_id: group, grt_object: 'Movie', grt_rights: 'RU' })
  const { row_id: id } = await find('/Movie/?mov_title=Alien')
  const move = async (mov_state: string) =>
    app.call(`/Movie/${id}`, { method: 'PUT', body: { mov_state }, as: 'ann:secret-one' })
  expect((await move('withdrawn')).status).toBe(200)
  expect(await move('listed')).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('no other state is allowed') },
  })
  expect((await app.call('/Review/', { as: 'ann:secret-one' })).status).toBe(403)
})

test('all mistakes of a record are reported at once', async () => {
  const { status, body } = await app.call('/Movie', {
    body: { mov_code: 'x', mov_minutes: 0, mov_mpaa: 'X', mov_genre_id: '999', year: 1999 },
  })
  expect(status).toBe(400)
  expect(body.messages.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`)).toEqual([
    'ERR_UNKNOWN_FIELD year',
    'ERR_PATTERN mov_code',
    'ERR_REQUIRED mov_title',
    'ERR_TYPE mov_minutes',
    'ERR_ENUM mov_mpaa',
    'ERR_REFERENCE mov_genre_id',
  ])
})

test('a withdrawn movie takes no reviews; those it has go with it', async () => {
  const created = await app.call('/Movie', { body: { mov_code: 'M90002', mov_title: 'Short life' } })
  const { row_id: movie } = created.body
  const review = (rev_author: string) =>
    app.call('/Review', { body: { rev_movie_id: movie, rev_author, rev_stars: 3 } })
  expect(await review('bob')).toMatchObject({
    status: 200,
    body: { rev_movie_id__mov_title: 'Short life', rev_movie_id__mov_genre_id__gen_name: '' },
  })
  expect(await review('bob')).toMatchObject({ status: 409, body: { messages: [{ code: 'ERR_USERKEY' }] } })
  await app.call(`/Movie/${movie}`, { method: 'PUT', body: { mov_state: 'withdrawn' } })
  expect(await review('carl')).toMatchObject({
    status: 400,
    body: { error: '"Short life" is withdrawn; it takes no reviews.' },
  })
  expect((await app.call(`/Review/?rev_movie_id=${movie}`)).body).toHaveLength(1)
  expect((await app.call(`/Movie/${movie}`, { method: 'DELETE' })).status).toBe(200)
  expect((await app.call(`/Review/?rev_movie_id=${movie}`)).body).toEqual([])
})

test('an action reviews a movie, another withdraws many in the background', async () => {
  const { body: movie } = await app.call('/Movie', { body: { mov_code: 'M90003', mov_title: 'Reviewed' } })
  const review = async (body: object) => app.call(`/Movie/${movie.row_id}/action:review`, { body })
  expect(await review({ stars: 4, text: 'Fine.' })).toMatchObject({ status: 200, body: { result: { average: 4 } } })
  expect(await review({ stars: 3 })).toMatchObject({ status: 409, body: { messages: [{ code: 'ERR_USERKEY' }] } })
  expect(await review({ stars: 9, nope: 1 })).toMatchObject({
    status: 400,
    body: { messages: [{ code: 'ERR_UNKNOWN_FIELD' }, { code: 'ERR_TYPE' }] },
  })
  const { status, body: task } = await app.call('/Movie?_action=withdraw&mov_code=M90003')
  expect([status, task.action]).toEqual([202, 'withdraw'])
  const read = async () => (await app.call(`/_task/${task.id}`)).body
  await expect.poll(async () => (await read()).status).toBe('done')
  expect(await read()).toMatchObject({ done: 1, result: '1 movies are withdrawn.' })
  expect((await app.call(`/Movie/${movie.row_id}`)).body.mov_state).toBe('withdrawn')
  await app.call(`/Movie/${movie.row_id}`, { method: 'DELETE' })
})

test('publications show movies as a page, a letter, a spreadsheet, a brochure', async () => {
  const publish = async (address: string) => {
    const { status, body } = await app.call(`${address}&_output=json`)
    expect(status).toBe(200)
    const { name, mime, content } = body as { name: string; mime: string; content: string }
    return { name, mime, content, start: Buffer.from(content, 'base64').subarray(0, 4).toString('latin1') }
  }
  const { row_id: id, mov_title: title, mov_code: code } = await find('/Movie/?mov_code=M00001')
  const sheet = await publish(`/Movie/${id}/publication:sheet?`)
  expect(sheet).toMatchObject({ name: `${title}.html`, mime: 'text/html' })
  expect(sheet.content).toContain(`<h1>${title}</h1>`)
  expect(sheet.content).toMatch(/<img src="data:image\/webp;base64,[A-Za-z0-9+/]+=*" alt="poster-1.png" width="133">/)
  expect(await publish(`/Movie/${id}?_printtemplate=letter`)).toMatchObject({
    name: `Letter ${code}.docx`,
    start: 'PK\x03\x04',
  })
  expect(await publish('/Movie/publication:list?mov_title=Star*')).toMatchObject({
    name: 'list.xlsx',
    start: 'PK\x03\x04',
  })
  expect(await publish(`/Movie/publication:brochure?mov_code=M0000*`)).toMatchObject({
    name: 'brochure.pdf',
    start: '%PDF',
  })
})

test('references refuse, or are emptied, when what they point at goes', async () => {
  const [genre, director] = [await find('/Genre/?gen_name=Western'), await find('/Director/?dir_name=Sergio Leone')]
  expect(await app.call(`/Genre/${genre.row_id}`, { method: 'DELETE' })).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/^\d+ records of Movie refer to it by "mov_genre_id"/) },
  })
  const { body: movies } = await app.call(`/Movie/?mov_director_id=${director.row_id}`)
  expect(movies.length).toBeGreaterThan(0)
  expect((await app.call(`/Director/${director.row_id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await app.call(`/Movie/${movies[0].row_id}`)).body).toMatchObject({
    mov_director_id: '',
    mov_director_id__dir_name: '',
  })
})

test('a portrait is uploaded, answered with its thumbnail, and replaced', async () => {
  const picture = async (background: string) =>
    (
      await sharp({ create: { width: 600, height: 300, channels: 3, background } })
        .png()
        .toBuffer()
    ).toString('base64')
  const content = await picture('teal')
  const { row_id: id } = await find('/Director/?dir_name=James Cameron')
  const put = (portrait: object) => app.call(`/Director/${id}`, { method: 'PUT', body: { dir_portrait: portrait } })
  const first = (await put({ name: 'cameron.png', content })).body.dir_portrait
  const { body } = await app.call(`/Director/${id}?_inline_documents=true&_inline_thumbnails=true`)
  expect(body.dir_portrait).toMatchObject({
    id: first,
    name: 'cameron.png',
    mime: 'image/png',
    path: 'Director/dir_portrait',
    content,
  })
  const thumbnail = sharp(Buffer.from(body.dir_portrait.thumbnail, 'base64'))
  expect(await thumbnail.metadata()).toMatchObject({ format: 'webp', width: 200, height: 100 })
  expect((await put({ name: 'other.png', content: await picture('navy') })).body.dir_portrait).not.toBe(first)
  expect(await put({ id: first })).toMatchObject({ status: 400, body: { messages: [{ code: 'ERR_REFERENCE' }] } })
})

describe('commands that people are shown', () => {
  let fresh: RunningApp
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'steward-catalog-'))
    fresh = await startApp([example, '--data', folder], {
      env: { STEWARD_SERVICE_USER: 'io', STEWARD_SERVICE_PASSWORD: 'a password' },
    })
  })
  afterAll(async () => {
    await fresh?.stop()
    await rm(folder, { recursive: true })
  })

  test('those that the server prints work', async ({ skip }) => {
    skip(shellIsMissing() !== undefined, shellIsMissing())
    const [, block = ''] = /Try in a shell:\n(.*?)\n\n/s.exec(fresh.output()) ?? []
    const steps = block.split('\n').map((command) => ({ command }))
    const [, , got, updated, found, counted, page, deleted] = (await runShell(steps)).map((text) =>
      text ? JSON.parse(text) : undefined,
    )
    expect(got).toMatchObject({ sys_code: 'GREETING', sys_value: 'Hello', sys_type: 'TXT' })
    expect(updated).toEqual({ ...got, sys_value: 'Hello again' })
    expect(found).toEqual([updated])
    expect(counted).toEqual({ count: 3, page: 0, maxpage: 0, pagesize: 50 })
    expect(page).toHaveLength(3)
    expect(deleted).toEqual({ row_id: got.row_id })
    expect((await fresh.call(`/SystemParam/${got.row_id}`)).status).toBe(404)
  })

  test.for(['../../README.md', 'README.md'])('those of %s print what it says', async (file, { skip }) => {
    skip(shellIsMissing() !== undefined, shellIsMissing())
    const [, password = ''] = /with the password (\S+)/.exec(fresh.output()) ?? []
    const [block = ''] = codeBlocks(new URL(file, import.meta.url), 'sh').filter((code) => code.includes('curl'))
    expect(block).toContain('<password>')
    expect(
      await unexpectedOutputs(block.replaceAll('http://127.0.0.1:8080', fresh.origin).replace('<password>', password)),
    ).toEqual([])
  })

  test('those of README.md for imports and tests print what it says', async ({ skip }) => {
    skip(shellIsMissing() !== undefined, shellIsMissing())
    const [block = ''] = codeBlocks(new URL('README.md', import.meta.url), 'sh').filter((code) => code.includes('/io'))
    expect(await unexpectedOutputs(block.replaceAll('http://127.0.0.1:8080', fresh.origin))).toEqual([])
  })
})
