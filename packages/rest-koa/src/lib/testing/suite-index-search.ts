import { createPrincipal, systemPrincipal, createRights, defineObject } from '@steward/rest-core'
import type { BusinessObjects, GrantData, Principal } from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import { createCaller } from './caller.js'
import type { Answer, CallService } from './caller.js'
import { checkDocumented } from './documented.js'
import type { RunningService, StartService } from './running-service.js'
import { serve } from './serve.js'
import type { TestServer } from './serve.js'

const Author = defineObject({
  name: 'Author',
  table: 'found_author',
  indexable: true,
  fields: { aut_name: { type: 'string', length: 100, key: true } },
})
const Story = defineObject({
  name: 'Story',
  table: 'found_story',
  indexable: ['sto_title', 'sto_text', 'sto_kind', 'sto_tags', 'sto_year'],
  pageSize: 2,
  fields: {
    sto_author_id: { type: 'reference', object: 'Author', display: ['aut_name'], key: true, onDelete: 'cascade' },
    sto_title: { type: 'string', length: 100, key: true },
    sto_text: { type: 'html' },
    sto_kind: {
      type: 'enum',
      values: [
        { code: 'S', label: 'Short story' },
        { code: 'N', label: 'Novel' },
      ],
    },
    sto_tags: { type: 'multi-enum', values: [{ code: 'c1', label: 'Crime' }, 'sea'] },
    sto_year: { type: 'integer' },
    sto_public: { type: 'boolean' },
    sto_note: { type: 'string' },
  },
  hooks: {
    preSearch(search) {
      if (search.principal.login === 'hooked') search.where = { op: '=', field: 'sto_year', value: 1851 }
    },
    postSearchRow({ principal, record }) {
      if (principal.login === 'masked') record['sto_title'] = '***'
    },
  },
})
const Plain = defineObject({
  name: 'Plain',
  table: 'found_plain',
  fields: { pla_text: { type: 'string', key: true } },
})

/** Index search over HTTP, the same on every store. */
export function testIndexSearch(startService: StartService): void {
  let running: RunningService
  let service: BusinessObjects
  let server: TestServer
  let call: CallService
  const boss = systemPrincipal({ login: 'boss' })
  /** By login, which is the password too. */
  const users: Record<string, Principal> = { boss }
  let author = ''

  beforeAll(async () => {
    running = await startService([Author, Story, Plain])
    service = running.service
    const app = new Koa()
    app.silent = true
    app.use(
      restRouter(service, {
        authenticate: ({ req }) => users[loginOf(req.headers.authorization)] as Principal,
      }).routes(),
    )
    server = await serve(app)
    const base = `${server.url}/api/rest`
    Object.assign(users, { ann: boss, ...restricted() })
    call = createCaller(base, 'boss', checkDocumented(base))
    author = (await service.create(boss, 'Author', { aut_name: 'Herman Melville' })).row_id
    await create({
      sto_title: 'Moby-Dick',
      sto_text: '<p class="first">The <b>Whale</b> &amp; the sea</p>',
      sto_kind: 'N',
      sto_year: 1851,
    })
    await create({
      sto_title: 'Bartleby',
      sto_text: 'I would prefer not to',
      sto_kind: 'S',
      sto_tags: ['c1'],
      sto_public: true,
    })
    await create({
      sto_title: 'Benito Cereno',
      sto_text: 'A ship at sea: the whale is not there',
      sto_kind: 'S',
      sto_tags: ['sea'],
    })
  })
  afterAll(async () => {
    await server?.close()
    await running?.close()
  })

  async function create(values: object): Promise<string> {
    return (await service.create(boss, 'Story', { sto_author_id: author, ...values })).row_id
  }

  /** Users who may not find everything. */
  function restricted(): Record<string, Principal> {
    const reader = (login: string, grant: Omit<GrantData, 'letters'>) =>
      createPrincipal({ login, rights: createRights(service.model, [{ letters: 'R', ...grant }], {}) })
    return {
      filtered: reader('filtered', { object: 'Story', filter: 'sto_public = true', hidden: ['sto_note'] }),
      none: reader('none', { object: 'Plain' }),
      blind: reader('blind', { object: 'Story', hidden: ['sto_text'] }),
      hooked: systemPrincipal({ login: 'hooked' }),
      masked: systemPrincipal({ login: 'masked' }),
    }
  }

  function find(text: string, more = '', path = '/Story/', user = 'boss'): Promise<Answer> {
    return call('GET', `${path}?_indexsearch=${encodeURIComponent(text)}${more}`, { user })
  }

  async function titles(text: string, more = '', user = 'boss'): Promise<string[]> {
    const { status, json, text: body } = await find(text, more, '/Story/', user)
    expect(status, body).toBe(200)
    return json.map(({ data }: { data: { sto_title: string } }) => data.sto_title).toSorted()
  }

  it('answers index records with the whole record', async () => {
    const { status, json } = await find('WHALE moby')
    expect(status).toBe(200)
    const id = json[0].row_id
    expect(json).toEqual([
      {
        object: 'Story',
        row_id: id,
        key: 'Herman Melville Moby-Dick',
        value: 'Moby-Dick The Whale & the sea Novel 1851',
        data: (await call('GET', `/Story/${id}`)).json,
        score: expect.any(Number),
      },
    ])
    expect(json[0].score).toBeGreaterThan(0)
  })

  it.each([
    ['sea', ['Benito Cereno', 'Moby-Dick']],
    ['whal*', ['Benito Cereno', 'Moby-Dick']],
    ['"the whale"', ['Benito Cereno', 'Moby-Dick']],
    ['"whale the"', ['Moby-Dick']],
    ['"not to"', ['Bartleby']],
    ['n', ['Moby-Dick']],
    ['novel', ['Moby-Dick']],
    ['crime', ['Bartleby']],
    ['c1', ['Bartleby']],
    ['short story', ['Bartleby', 'Benito Cereno']],
    ['1851', ['Moby-Dick']],
    ['moby-dick', ['Moby-Dick']],
    ['class', []],
    ['p', []],
    ['amp', []],
    ['melville', []],
  ])('%s finds %j', async (text, expected) => {
    expect(await titles(text)).toEqual(expected)
  })

  it('takes filters, fields and timestamps; pages and their number; the address of its own', async () => {
    expect(await titles('sea', '&sto_kind=S')).toEqual(['Benito Cereno'])
    expect(await titles('sea', '&sto_author_id__aut_name=*melville')).toHaveLength(2)
    expect(await titles('sea', "&_filter=sto_kind = 'S' or sto_author_id__created_by = 'nobody'")).toEqual([
      'Benito Cereno',
    ])
    const { status, json: refused } = await find('sea', '&_filter=sto_year > 1', '/_index')
    expect([status, refused.error]).toEqual([400, expect.stringContaining('takes no fields')])
    const { json } = await find('sea', '&_fields=sto_year&_timestamps=true&sto_kind=N')
    expect(Object.keys(json[0].data)).toEqual([
      'row_id',
      'sto_year',
      'created_dt',
      'created_by',
      'updated_dt',
      'updated_by',
    ])
    expect(json[0]).toMatchObject({ key: 'Herman Melville Moby-Dick' })
    expect((await find('story', '&_count=true')).json).toEqual({ count: 2, page: 0, maxpage: 0, pagesize: 2 })
    const all = (await find('s*')).json
    expect(all.length).toBe(3)
    const pages = await Promise.all([0, 1, 2].map((page) => find('s*', `&_page=${page}`)))
    expect(pages.map((page) => page.json.length)).toEqual([2, 1, 0])
    expect(pages.flatMap((page) => page.json)).toEqual(all)
    expect((await find('s*', '', '/Story/_index')).json).toEqual(all)
    expect((await call('HEAD', '/Story/?_indexsearch=sea')).status).toBe(200)
  })

  it('goes over all objects, the best first', async () => {
    await service.create(boss, 'Author', { aut_name: 'Whale Watcher' })
    const { status, json } = await find('whale', '', '/_index/')
    expect(status).toBe(200)
    expect(json.map(({ object }: { object: string }) => object).toSorted()).toEqual(['Author', 'Story', 'Story'])
    const scores = json.map(({ score }: { score: number }) => score)
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    expect((await find('whale', '&_page=1&_pagesize=2', '/_index')).json).toEqual(json.slice(2))
    expect((await find('whale', '&_count=true', '/_index')).json).toMatchObject({ count: 3, pagesize: 50 })
  })

  it('is in step with writes over HTTP, cascades and refused ones', async () => {
    const { json: created } = await call('POST', '/Story', {
      json: { sto_author_id: author, sto_title: 'Typee', sto_text: 'island' },
    })
    expect(created).not.toHaveProperty('idx_words')
    expect(await titles('island')).toEqual(['Typee'])
    await call('PUT', `/Story/${created.row_id}`, { json: { sto_text: 'peninsula' } })
    expect([await titles('island'), await titles('peninsula typee')]).toEqual([[], ['Typee']])
    await call('PUT', `/Story/${created.row_id}`, { json: { sto_note: 'islet' } })
    expect([await titles('islet'), await titles('peninsula')]).toEqual([[], ['Typee']])
    await call('PUT', `/Story/${created.row_id}`, { json: { sto_text: 'atoll', sto_kind: 'X' } })
    expect([await titles('atoll'), await titles('peninsula')]).toEqual([[], ['Typee']])
    await expect(
      service.transaction(async (inside) => {
        await inside.update(boss, 'Story', created.row_id, { sto_text: 'archipelago' })
        expect(await inside.indexSearch(boss, 'Story', { text: 'archipelago' })).toHaveLength(1)
        throw new Error('stop')
      }),
    ).rejects.toThrow('stop')
    expect([await titles('archipelago'), await titles('peninsula')]).toEqual([[], ['Typee']])
    await call('DELETE', `/Story/${created.row_id}`)
    expect(await titles('peninsula')).toEqual([])
    const other = (await service.create(boss, 'Author', { aut_name: 'Gone' })).row_id
    await create({ sto_author_id: other, sto_title: 'Vanishing' })
    await call('DELETE', `/Author/${other}`)
    expect(await titles('vanishing')).toEqual([])
  })

  it('what the user may not see is not found: rights, rows, hidden fields, hooks', async () => {
    expect(await titles('s*', '', 'filtered')).toEqual(['Bartleby'])
    expect((await find('s*', '', '/_index', 'filtered')).json).toMatchObject([{ score: 1 }])
    expect((await find('s*', '&_count=true', '/Story/', 'filtered')).json).toMatchObject({ count: 1 })
    expect((await find('s*', '&sto_note=x', '/Story/', 'filtered')).status).toBe(400)
    expect((await find('s*', '', '/Story/', 'none')).status).toBe(403)
    expect((await find('whale', '', '/_index', 'none')).json).toEqual([])
    expect((await find('moby', '', '/Story/', 'blind')).json).toMatchObject({ status: 403, code: 'ERR_RIGHT' })
    expect((await find('whale', '', '/_index', 'blind')).json).toEqual([])
    expect(await titles('s*', '', 'hooked')).toEqual(['Moby-Dick'])
    expect((await find('bartleby', '', '/Story/', 'masked')).text).not.toContain('Bartleby')
  })

  it('pages have links to those before and after, of one object and of all', async () => {
    for (const path of ['/Story/', '/_index']) {
      const link = async (more: string) => (await find('s*', more, path)).headers.get('link')
      expect(await link('')).toBeNull()
      const relations = async (page: number) =>
        [...((await link(`&_page=${page}&_pagesize=1`)) ?? '').matchAll(/_page=(\d+)>; rel="(\w+)"/g)].map(
          ([, at, name]) => `${name} ${at}`,
        )
      expect(await relations(0)).toEqual(['first 0', 'next 1'])
      expect(await relations(1)).toEqual(['first 0', 'prev 0', 'next 2'])
      expect(await relations(500)).toEqual(['first 0', 'prev 499'])
    }
  })

  it('metadata and documentation offer it only to who may search it', async () => {
    const shown = async (user: string) => {
      const [metadata, documentation] = await Promise.all(
        ['/Story/_metadata', '/Story/_doc'].map((path) => call('GET', path, { user })),
      )
      return [metadata?.json?.indexable, documentation?.text.includes('/Story/_index')]
    }
    expect(await shown('filtered')).toEqual([true, true])
    expect(await shown('blind')).toEqual([false, false])
  })

  it.each([
    ['/Story/?_indexsearch=', 'has no word'],
    ['/Story/?_indexsearch=%20-%20!', 'has no word'],
    ['/Story/?_indexsearch=%22open', 'not closed'],
    ['/Story/?_indexsearch=*', 'only follow'],
    ['/Story/?_indexsearch=*sea', 'only follow'],
    ['/Story/?_indexsearch=s*a', 'only follow'],
    ['/Story/?_indexsearch=-*', 'only follow'],
    ['/Story/?_indexsearch=a%00b', 'NUL'],
    ['/Story/?_indexsearch=a&_indexsearch=b', 'more than once'],
    ['/Story/?_indexsearch=a&_order=sto_title', '_order'],
    ['/Story/?_indexsearch=a&order__sto_title=1', 'by relevance only'],
    ['/Story/?_indexsearch=a&_cursor=', '_cursor'],
    ['/Story/?_indexsearch=a&idx_words=a', 'idx_words'],
    ['/Story/?idx_words=a', 'idx_words'],
    ['/Story/?_order=idx_words', 'idx_words'],
    ['/Story/?_fields=idx_words', 'idx_words'],
    ['/Story/?_indexsearch=a&_fields=idx_words', 'idx_words'],
    ['/Story/?_indexsearch=a&nothing=1', 'nothing'],
    ['/Story/?_indexsearch=a&_page=-1', '_page'],
    ['/Story/?_indexsearch=a&_pagesize=1001', 'page size'],
    ['/Plain/?_indexsearch=a', 'no index'],
    ['/_index', '_indexsearch'],
    ['/_index?_indexsearch=a&sto_kind=S', 'no fields (sto_kind)'],
    ['/_index?_indexsearch=a&_fields=sto_kind', 'no fields (sto_kind)'],
    ['/_index?_indexsearch=a&_page=200', '10000'],
  ])('GET %s is refused: %s', async (path, message) => {
    const { status, json } = await call('GET', path)
    expect([status, json?.error]).toEqual([400, expect.stringContaining(message)])
  })

  it('texts that are too long are refused', async () => {
    expect((await find('a'.repeat(1_001))).json.error).toContain('1000 characters')
    expect((await find('a '.repeat(51))).json.error).toContain('50 words')
    expect((await find('a '.repeat(50))).status).toBe(200)
  })

  it('the words cannot be written', async () => {
    const { status, json } = await call('POST', '/Story', {
      json: { sto_author_id: author, sto_title: 'x', idx_words: 'found' },
    })
    expect([status, json.messages[0].code]).toEqual([400, 'ERR_UNKNOWN_FIELD'])
  })

  it('rebuilds what others wrote, and nothing else', async () => {
    const { store, service } = running
    const story = service.model.object('Story')
    const row = await create({ sto_title: 'Rebuilt', sto_text: 'renovated' })
    const [before] = (await find('renovated', '&_timestamps=true')).json
    const select = story.select([])
    for (const idx_words of ['', 'wrong words']) {
      await store.update(story, row, { idx_words }, { select })
      expect(await titles('renovated')).toEqual([])
      const progress: unknown[] = []
      expect(await service.rebuildIndex('Story', { onProgress: (each) => progress.push(each) })).toBe(1)
      expect(progress).toEqual([{ object: 'Story', rows: 4, changed: 1 }])
      expect((await find('renovated', '&_timestamps=true')).json[0].data).toEqual(before.data)
      expect(await titles('wrong')).toEqual([])
      expect(await service.rebuildIndex()).toBe(0)
    }
    await store.update(story, row, { idx_words: '' }, { select })
    expect(await service.rebuildIndex('Story', { signal: AbortSignal.abort() })).toBe(0)
    await expect(service.rebuildIndex('Plain')).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
    expect(await service.rebuildIndex()).toBe(1)
    await service.delete(boss, 'Story', row)
  })
}

/** The login of basic credentials. */
function loginOf(authorization = ''): string {
  return Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':')[0] ?? ''
}
