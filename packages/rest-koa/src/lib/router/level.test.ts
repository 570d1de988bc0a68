import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { hasLevel, levels } from './level.js'
import type { Level } from './level.js'
import { restRouter } from './rest-router.js'

const Movie = defineObject({
  name: 'Movie',
  indexable: ['mov_title'],
  fields: { mov_title: { type: 'string', key: true } },
  actions: {
    hello: { scope: 'global', run: () => 'hello' },
    title: { scope: 'record', run: ({ record }) => record?.['mov_title'] },
  },
  publications: {
    list: { scope: 'global', format: 'txt', template: 'Movies' },
    sheet: { scope: 'record', format: 'txt', template: 'Movie' },
  },
  crosstabs: { titles: { lines: ['mov_title'] } },
})

/**
 * What came when. Sources: docs/spec/rest-service.md, "Versioning" and "Endpoints"; what has no level there was there
 * from the start; additions (choice) are there at every level, but for those that belong to pages.
 */
const rows: readonly (readonly [since: Level, path: string])[] = [
  ['3.0', '/'],
  ['3.0', '/Movie'],
  ['3.0', '/Movie?mov_title=A%25'],
  ['3.0', '/Movie/1'],
  ['3.0', '/Movie?_metadata=true'],
  ['3.0', '/Movie?_metadata=true&_metadacontext=create'],
  ['3.0', '/Movie?_action=hello'],
  ['3.0', '/Movie/1?_action=title'],
  ['3.0', '/Movie?_printtemplate=list'],
  ['3.0', '/Movie/1?_printtemplate=sheet'],
  ['3.0', '/Movie/1?_inline_documents=true&_inline_thumbnails=true'],
  ['3.1', '/?session=true'],
  ['3.1', '/Movie?_indexsearch=Alien'],
  ['3.1', '/_index?_indexsearch=Alien'],
  ['3.1', '/Movie?_doc=true'],
  ['3.1', '/?_doc=true'],
  ['3.1', '/Movie?_doc=true&_output=html'],
  ['3.2', '/Movie?_count=true'],
  ['4.0', '/Movie?_page=0'],
  ['4.0', '/Movie?_doc=true&_output=openapi'],
  ['5.1', '/Movie/action:hello'],
  ['5.1', '/Movie/1/action:title'],
  ['5.1', '/Movie/publication:list'],
  ['5.1', '/Movie/1/publication:sheet'],
  // Additions.
  ['3.0', '/Movie?_order=-mov_title&_fields=mov_title&_timestamps=true'],
  ['3.0', '/Movie/_key/Alien'],
  ['4.0', '/Movie?_pagesize=5'],
  ['4.0', '/Movie?_cursor='],
]

describe.each(levels)('level %s', (level) => {
  let service: BusinessObjects
  let server: TestServer
  let call: CallService

  beforeAll(async () => {
    const ann = systemPrincipal({ login: 'ann' })
    service = createBusinessObjects({ model: createModel([Movie]), store: createMemoryStore() })
    await service.create(ann, 'Movie', { mov_title: 'Alien' })
    const app = new Koa()
    app.silent = true
    app.use(restRouter(service, { authenticate: () => ann, level, prefix: ['/appws/rest', '/app/api/rest'] }).routes())
    server = await serve(app)
    call = createCaller(server.url, null)
  })
  afterAll(() => server?.close())

  it.each(rows)('what came with %s: GET %s', async (since, path) => {
    for (const base of ['/appws/rest', '/app/api/rest']) {
      const { status, json } = await call('GET', base + path)
      if (hasLevel(level, since)) expect([status, json?.error]).toEqual([200, undefined])
      else expect([400, 404]).toContain(status)
    }
  })

  it('addresses above the level say since when they are there, and what does the same', async () => {
    for (const [path, parameter] of [
      ['Movie/crosstab:titles', '_crosstab'],
      ['Movie/1/action:title', '_action'],
    ]) {
      const { status, json } = await call('GET', `/app/api/rest/${path}`)
      if (hasLevel(level, '5.1')) expect(status).toBe(200)
      else expect(json.error).toMatch(new RegExp(`came with level 5\\.1; .* level ${level}\\. Use "${parameter}"`))
    }
  })

  it(`the element /json of the address is ${level === '3.0' ? 'taken' : 'no more'}`, async () => {
    expect((await call('GET', '/appws/rest/json/Movie/1')).status).toBe(level === '3.0' ? 200 : 404)
    expect((await call('GET', '/app/api/rest/json/')).status).toBe(level === '3.0' ? 200 : 404)
    expect((await call('GET', '/app/api/rest/Movie/1')).status).toBe(200)
  })

  it('writes and additions to them work', async () => {
    const json = { mov_title: `At level ${level}` }
    const { status, json: created } = await call('POST', '/app/api/rest/Movie/0', { json })
    expect(status).toBe(200)
    const address = `/app/api/rest/Movie/${created.row_id}`
    const { headers } = await call('GET', address)
    const tag = headers.get('etag') ?? ''
    expect((await call('PUT', address, { json, headers: { 'if-match': tag } })).status).toBe(200)
    expect((await call('PUT', address, { json, headers: { 'if-match': '"other"' } })).status).toBe(412)
    expect((await call('POST', `${address}?_method=DELETE&_dryrun=true`)).status).toBe(200)
    const items = [{ action: 'delete', row_id: created.row_id }]
    expect((await call('POST', '/app/api/rest/Movie/_batch', { json: items })).status).toBe(200)
    expect((await call('GET', address)).status).toBe(404)
  })
})
