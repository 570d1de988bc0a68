import { Validator } from '@seriousme/openapi-schema-validator'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  systemPrincipal,
  createRights,
  defineObject,
} from '@steward/rest-core'
import type { DocumentStore, ObjectDefinition } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterEach, describe, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { suiteObjects } from '../testing/objects.js'
import { serve } from '../testing/serve.js'
import type { Level } from './level.js'
import { restRouter } from './rest-router.js'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(
  definitions: readonly ObjectDefinition[],
  level: Level = '5.1',
  principal = systemPrincipal({ login: 'ann' }),
): Promise<CallService> {
  const service = createBusinessObjects({
    model: createModel(definitions),
    store: createMemoryStore(),
    documents: {} as DocumentStore,
  })
  const app = new Koa()
  const viewAs = async () => undefined
  app.use(restRouter(service, { authenticate: () => principal, viewAs, level, app: { name: 'shop' } }).routes())
  const server = await serve(app)
  closing.push(() => server.close())
  return createCaller(`${server.url}/api/rest`, null)
}

const all = [...new Map([...suiteObjects, ...systemObjects].map((object) => [object.name, object])).values()]

describe('Markdown', () => {
  it('says that filters apply only where a query takes some, and shows headers as such', async () => {
    const call = await start(all)
    const { text } = await call('GET', '/_doc?_output=markdown')
    const parts = text.split('\n### ')
    const of = (title: string) => parts.filter((part) => part.startsWith(title))
    expect(of('Get a record').length).toBeGreaterThan(1)
    expect(of('Get a record').join('')).not.toContain('The filters of the object apply.')
    expect(of('Get a record').join('')).toMatch(/`X-View-As` \| header/)
    expect(of('Search').join('')).toContain('The filters of the object apply.')
    expect(of('Filters').join('')).not.toContain('X-View-As')
  })

  it('names the transitions of a state that the user may make', async () => {
    const definition = defineObject({
      name: 'Parcel',
      fields: {
        par_no: { type: 'string', key: true },
        par_state: { type: 'enum', values: ['placed', 'shipped', 'lost'] },
      },
      states: {
        field: 'par_state',
        transitions: [
          { from: 'placed', to: 'shipped', groups: ['STORE'] },
          { from: 'placed', to: 'lost' },
        ],
      },
    })
    const model = createModel([definition])
    const rights = createRights(model, [{ object: 'Parcel', letters: 'RU' }], {})
    for (const [principal, ways] of [
      [systemPrincipal({ login: 'boss' }), '`placed` → `shipped`, `placed` → `lost`'],
      [createPrincipal({ login: 'ann', rights }), 'then `placed` → `lost`'],
    ] as const) {
      const call = await start([definition], '5.1', principal)
      expect((await call('GET', '/_doc?_output=markdown')).text).toContain(ways)
    }
  })
})

const Sale = defineObject({
  name: 'Sale',
  fields: {
    sal_shop: { type: 'string', key: true },
    sal_year: { type: 'integer', key: true, min: 2000, max: 2100 },
    sal_local: { type: 'datetime', zone: 'none', help: 'By the clock of the shop' },
    sal_moment: { type: 'datetime' },
    sal_code: { type: 'string', unique: true, pattern: '[A-Z]+' },
    sal_secret: { type: 'password', minLength: 12 },
    sal_before: { type: 'reference', object: 'Sale' },
  },
  actions: {
    sync: { scope: 'both', run: () => 1 },
    'sync-all': { scope: 'record', run: () => 1 },
    sync_get: {
      scope: 'global',
      parameters: {
        when: { type: 'date', required: true, label: 'When | then' },
        how: { type: 'enum', values: ['fast', 'slow'], help: 'Speed' },
      },
      run: () => 1,
    },
  },
  crosstabs: { years: { lines: ['sal_shop'], columns: ['sal_year'], values: [{ function: 'count' }] } },
})

describe('the rules of a definition about values', () => {
  it('are in Markdown', async () => {
    const { text } = await (await start([Sale]))('GET', '/_doc')
    expect(text).toMatch(/\| `sal_local` \|.*\| datetime \| local time without a time zone \|/)
    expect(text).toMatch(/\| `sal_moment` \|.*\| datetime \| UTC \|/)
    expect(text).toMatch(/\| `sal_year` \|.*at least 2000; at most 2100/)
    expect(text).toMatch(/\| `sal_code` \|.*unique; .*matches `\[A-Z\]\+` \|/)
    expect(text).toMatch(/\| `sal_secret` \|.*at least 12 characters \|/)
    expect(text).toContain('in UTC, unless their field is without a time zone')
  })

  it('are in OpenAPI', async () => {
    const { json } = await (await start([Sale]))('GET', '/_doc?_output=openapi')
    const { Sale: record, 'Sale.create': creation } = json.components.schemas
    const local = { description: 'By the clock of the shop Local time without a time zone.', 'x-time-zone': 'none' }
    expect(record.properties.sal_local).toMatchObject(local)
    expect(creation.properties.sal_local).toMatchObject(local)
    expect(JSON.stringify(record.properties.sal_moment)).not.toContain('x-time-zone')
    expect(creation.properties.sal_year).toMatchObject({ minimum: 2000, maximum: 2100 })
    expect(creation.properties.sal_code).toMatchObject({ 'x-unique': true })
    expect(JSON.stringify(creation.properties.sal_code)).toContain('[A-Z]+')
  })

  it('are in Markdown for the parameters of an action by POST', async () => {
    const { text } = await (await start([Sale]))('GET', '/_doc')
    const part = text.split('\n### ').find((one) => one.includes('`POST /Sale/action:sync_get`'))
    expect(part).toContain('| `when` (required) | string | When \\| then |')
    expect(part).toContain('| `how` | `fast`, `slow`, empty | Speed |')
  })
})

/** What made generators of clients fail. */
describe('a document for generators', () => {
  const documents = async () => {
    const call = await start([Sale, ...all])
    const [openapi, swagger] = await Promise.all(
      ['openapi', 'swagger-2.0'].map(async (output) => (await call('GET', `/_doc?_output=${output}`)).json),
    )
    return { call, openapi, swagger }
  }

  it('has a key of several fields as an array, which comes with commas that are not encoded', async () => {
    const { openapi, swagger } = await documents()
    const key = { name: 'key', in: 'path', required: true }
    for (const method of ['get', 'put', 'delete']) {
      expect(openapi.paths['/Sale/_key/{key}'][method].parameters).toContainEqual({
        ...key,
        description: expect.stringContaining('`sal_shop`, `sal_year`'),
        style: 'simple',
        explode: false,
        schema: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
      })
      expect(swagger.paths['/Sale/_key/{key}'][method].parameters).toContainEqual(
        expect.objectContaining({ ...key, type: 'array', items: { type: 'string' }, collectionFormat: 'csv' }),
      )
    }
    const [one] = openapi.paths['/Movie/_key/{key}'].get.parameters
    expect(one).toMatchObject({ ...key, schema: { type: 'string' } })
  })

  it('names each operation once, also when case and punctuation do not count', async () => {
    const { openapi } = await documents()
    const ids = Object.values(openapi.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (path) => Object.values(path).map(({ operationId }) => operationId),
    )
    const plain = ids.map((id) => id.replaceAll(/[^a-z0-9]/gi, '').toLowerCase())
    expect(plain.filter((id, at) => plain.indexOf(id) !== at)).toEqual([])
    expect(ids.filter((id) => id.startsWith('obj-sale-action-sync')).length).toBe(8)
  })

  it('offers one type of a body and of a list, and has pivot tables without tuples', async () => {
    const { openapi } = await documents()
    const text = JSON.stringify(openapi)
    expect(text).not.toContain('prefixItems')
    expect(text).not.toMatch(/"content":\{[^}]*"application\/(?:x-ndjson|x-www-form-urlencoded)"/)
    expect(Object.keys(openapi.paths['/Sale/action:sync_get'].post.requestBody.content)).toEqual(['application/json'])
    expect(openapi.paths['/Sale'].get.description).toContain('application/x-ndjson')
  })

  it('has parameters of Swagger whose lists say what they hold', async () => {
    const { swagger } = await documents()
    const parameters = Object.values(swagger.paths as Record<string, Record<string, { parameters?: object[] }>>)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.parameters ?? []) as { type?: string; items?: { type?: string }; in: string }[]
    const lists = parameters.filter((parameter) => parameter.type === 'array')
    expect(lists.length).toBeGreaterThan(10)
    expect(lists.filter(({ items }) => items?.type === undefined)).toEqual([])
    expect(parameters.filter((parameter) => parameter.in !== 'body' && parameter.type === undefined)).toEqual([])
  })
})

describe('OpenAPI', () => {
  it.each(['openapi', 'swagger-2.0'])('%s of the objects of the suite and the system is valid', async (output) => {
    const call = await start(all)
    const { json } = await call('GET', `/_doc?_output=${output}`)
    const { valid, errors } = await new Validator().validate(json)
    expect([valid, errors]).toEqual([true, undefined])
    const text = JSON.stringify(json)
    const references = new Set(text.match(/(?<="\$ref":"#\/)[^"]+/g))
    for (const each of references)
      expect(
        each.split('/').reduce((node, name) => node?.[name], json),
        each,
      ).toBeDefined()
  })

  it('and metadata require the row id of new records where it is not assigned', async () => {
    const id = { type: 'id', column: 'code', values: 'string', readOnly: false } as const
    const call = await start([
      { name: 'Given', timestamps: false, fields: { row_id: { ...id, required: true }, title: { type: 'string' } } },
      { name: 'Offered', timestamps: false, fields: { row_id: id, title: { type: 'string' } } },
      { name: 'Assigned', timestamps: false, fields: { title: { type: 'string' } } },
    ])
    const { json } = await call('GET', '/_doc?_output=openapi')
    const told = async (name: string) => {
      const metadata = await call('GET', `/${name}/?_metadata=true&_metadatacontext=create`)
      const { required, updatable } = metadata.json.fields.find((field: { name: string }) => field.name === 'row_id')
      const { requestBody } = json.paths[`/${name}`].post
      const schema = json.components.schemas[requestBody.content['application/json'].schema.$ref.split('/').at(-1)]
      return { body: requestBody.required, openapi: schema.required, required, updatable }
    }
    expect(await told('Given')).toEqual({ body: true, openapi: ['row_id'], required: true, updatable: true })
    expect(await told('Offered')).toEqual({ body: false, openapi: undefined, required: false, updatable: true })
    expect(await told('Assigned')).toEqual({ body: false, openapi: undefined, required: false, updatable: false })
    const { status, json: refusal } = await call('POST', '/Given/', { json: { title: 'x' } })
    expect([status, refusal.messages]).toEqual([400, [expect.objectContaining({ field: 'row_id' })]])
  })

  it('requires the fields of a reference or the reference, as a creation does', async () => {
    const string = { type: 'string' } as const
    const call = await start([
      { name: 'Site', timestamps: false, fields: { row_id: { type: 'id', fields: ['a', 'b'] }, a: string, b: string } },
      {
        name: 'Visit',
        timestamps: false,
        fields: {
          title: { type: 'string', required: true },
          a: { type: 'string', required: true },
          b: string,
          site: { type: 'reference', object: 'Site', via: ['a', 'b'] },
        },
      },
    ])
    const { json } = await call('GET', '/_doc?_output=openapi')
    expect(json.components.schemas['Visit.create']).toMatchObject({
      required: ['title'],
      allOf: [{ anyOf: [{ required: ['a'] }, { required: ['site'] }] }],
    })
    expect(json.paths['/Visit'].post.requestBody.description).toContain('Required: `title`, `a` or `site`.')
    expect((await new Validator().validate(json)).valid).toBe(true)
    const { row_id } = (await call('POST', '/Site', { json: { a: '1', b: '2' } })).json
    const statusOf = async (values: object) =>
      (await call('POST', '/Visit', { json: { title: 'x', ...values } })).status
    expect(await statusOf({ site: row_id })).toBe(200)
    expect(await statusOf({ a: '1' })).toBe(200)
    expect(await statusOf({ b: '2' })).toBe(400)
  })

  it.each(['4.0', '5.0'] as const)('at level %s has no addresses that came later', async (level) => {
    const call = await start(all, level)
    const { json } = await call('GET', '/_doc?_output=openapi')
    expect(Object.keys(json.paths).filter((path) => path.includes(':'))).toEqual([])
    expect((await call('GET', '/Movie/crosstab:genres')).status).toBe(404)
  })

  it('comes with level 4.0, HTML and Markdown with 3.1', async () => {
    const statuses = async (level: Level): Promise<number[]> => {
      const call = await start(all, level)
      const answers = ['', '&_output=html', '&_output=openapi'].map((more) => call('GET', `/Movie/?_doc=true${more}`))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    expect(await statuses('3.0')).toEqual([400, 400, 400])
    expect(await statuses('3.1')).toEqual([200, 200, 400])
    expect(await statuses('3.2')).toEqual([200, 200, 400])
    expect(await statuses('4.0')).toEqual([200, 200, 200])
    const { json } = await (await start(all, '3.1'))('GET', '/_doc?_output=swagger-2.0')
    expect(json.error).toBe('"_output=swagger-2.0" came with level 4.0; this application runs at level 3.1.')
  })

  it('at level 3.1 does not know what came later', async () => {
    const { text } = await (await start(all, '3.1'))('GET', '/Movie/_doc')
    expect(text).not.toMatch(/_page|_count|_cursor|crosstab:/)
    expect((await (await start([Sale], '3.1'))('GET', '/_doc')).text).not.toMatch(/_page|_count|_cursor|crosstab:/)
    expect(text).toMatch(/`_fields`[^]*`GET \/Movie\?_crosstab=genres`/)
  })
})

describe('texts of definitions', () => {
  const evil =
    '<img src=x onerror=alert(1)> [a](javascript:alert(1)) `x` | *b* \n# h ![i](https://example.com/i.png) &lt;'
  const Evil = defineObject({
    name: 'Evil',
    label: evil,
    help: evil,
    fields: {
      evi_text: { type: 'string', label: evil, help: evil, default: evil, length: 500 },
      evi_more: { type: 'string', pattern: '[^`<]*|x' },
      evi_kind: { type: 'enum', label: evil, values: [{ code: 'a|`b`<i>', label: evil }] },
    },
  })

  it('stay texts in Markdown', async () => {
    const { text } = await (await start([Evil]))('GET', '/_doc')
    expect(text).not.toContain(evil)
    expect(text).not.toMatch(/(?<!\\)<img|(?<!\\)!\\?\[i\]\(|^# h/m)
    const rows = text.split('\n').filter((line) => line.startsWith('| `evi_'))
    for (const row of rows.filter((line) => !line.includes('min__')))
      expect([2, 4]).toContain(row.replaceAll('\\|', '').split('|').length - 2)
  })

  it('stay texts in HTML', async () => {
    const { text } = await (await start([Evil]))('GET', '/_doc?_output=html')
    expect(text).not.toMatch(/<img|<a href="(?!#)|<i>|<em>b/i)
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })
})
