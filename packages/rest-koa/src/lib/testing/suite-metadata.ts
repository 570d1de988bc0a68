import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Suite } from './suite.js'

/** Metadata and the documentation that the service gives of itself. */
export function testMetadata(suite: Suite): void {
  async function metadata(path: string, user = 'ann'): Promise<ObjectMetadata> {
    const { status, json, text, headers } = await suite.call('GET', path, { user })
    expect(status, text).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    return json
  }

  async function field(name: string, context = ''): Promise<FieldMetadata | undefined> {
    const { fields } = await metadata(`/Movie/?_metadata=true${context === '' ? '' : `&_metadacontext=${context}`}`)
    return fields.find((each) => each.name === name)
  }

  describe('metadata', () => {
    it.each(['/Movie/?_metadata=true', '/Movie?_metadata=1', '/Movie/_metadata', '/Movie/_?_metadata=true'])(
      'GET %s returns the structure of an object',
      async (path) => {
        const { fields, links, actions, crosstabs, publications, areas, ...rest } = await metadata(path)
        expect(rest).toEqual({
          id: 'Movie',
          name: 'Movie',
          label: 'Movie',
          plurallabel: 'Movie',
          help: '',
          icon: '',
          rowidfield: 'row_id',
          template: '',
          create: true,
          update: true,
          del: true,
          copy: true,
          export: true,
          print: false,
          updateAll: true,
          readonly: false,
          indexable: false,
          states: null,
        })
        expect(fields.map(({ name, order }) => [order, name])).toEqual(
          [
            'row_id',
            'mov_title',
            'mov_year',
            'mov_big',
            'mov_gross',
            'mov_seen',
            'mov_date',
            'mov_kind',
            'mov_tags',
            'mov_secret',
            'mov_data',
            'mov_genre_id',
            'mov_genre_id__gen_code',
            'mov_genre_id__gen_name',
          ].map((name, index) => [index + 1, name]),
        )
        expect(areas).toEqual([{ id: 'Movie.Movie', name: 'Movie', label: 'Movie', order: 1 }])
        expect([links, actions, publications]).toEqual([[], [], []])
        expect(crosstabs.map(({ name }) => name)).toEqual(['genres', 'years', 'numbers'])
      },
    )

    it('describes a field completely', async () => {
      expect(await field('mov_kind')).toEqual({
        id: 'Movie.mov_kind',
        name: 'mov_kind',
        input: 'mov_kind',
        fullinput: 'mov_kind',
        order: 8,
        label: 'mov_kind',
        help: '',
        type: 7,
        length: 100,
        precision: 0,
        unique: false,
        min: null,
        max: null,
        minLength: 0,
        pattern: null,
        zone: null,
        maxBytes: null,
        mediaTypes: null,
        area: 'Movie',
        key: false,
        required: false,
        updatable: true,
        visible: true,
        searchable: true,
        searchOrder: 0,
        defaultValue: null,
        refId: null,
        ref: null,
        refObject: null,
        refField: null,
        listOfValuesName: 'Movie.mov_kind',
        listOfValues: [
          { code: 'short', value: 'short', enabled: true },
          { code: 'feature', value: 'feature', enabled: true },
        ],
      })
      expect(await field('mov_title')).toMatchObject({
        type: 3,
        length: 200,
        key: true,
        required: true,
        searchOrder: 1,
      })
      expect(await field('mov_gross')).toMatchObject({ type: 2, length: 38, precision: 4 })
      expect(await field('mov_secret')).toMatchObject({ type: 9, visible: false, searchable: false, updatable: true })
      expect(await field('row_id')).toMatchObject({ type: 0, updatable: false })
    })

    it('says where references and joined fields come from', async () => {
      expect(await field('mov_genre_id')).toMatchObject({ type: 0, ref: null, refObject: 'Genre', refField: 'row_id' })
      expect(await field('mov_genre_id__gen_name')).toMatchObject({
        fullinput: 'mov_genre_id.gen_name',
        label: 'gen_name',
        ref: 'mov_genre_id',
        refId: 'Movie.mov_genre_id',
        refObject: 'Genre',
        refField: 'gen_name',
        updatable: false,
        searchable: true,
      })
      const { links } = await metadata('/Genre/_metadata')
      expect(links).toContainEqual({
        id: 'Movie.mov_genre_id',
        name: 'Movie.mov_genre_id',
        label: 'Movie',
        object: 'Movie',
        field: 'mov_genre_id',
        onDelete: 'refuse',
      })
    })

    it.each([
      ['none', { required: true, updatable: true, visible: true }],
      ['0', { required: true, updatable: true, visible: true }],
      ['search', { required: false, updatable: true, visible: true }],
      ['1', { required: false, updatable: true, visible: true }],
      ['list', { required: false, updatable: false, visible: true }],
      ['CREATE', { required: true, updatable: true, visible: true }],
      ['4', { required: true, updatable: true, visible: true }],
      ['update', { required: true, updatable: true, visible: true }],
      ['delete', { required: false, updatable: false, visible: true }],
      ['9', { required: false, updatable: false, visible: true }],
      // It is the key, which is not a field to change in many records.
      ['bulkupdate', { required: false, updatable: false, visible: true }],
      ['Ref_Select', { required: false, updatable: false, visible: true }],
      ['12', { required: true, updatable: true, visible: true }],
      ['13', { required: true, updatable: true, visible: true }],
      ['postvalidate', { required: true, updatable: true, visible: true }],
      ['state transition', { required: false, updatable: true, visible: true }],
      ['export', { required: false, updatable: false, visible: true }],
      ['17', { required: true, updatable: true, visible: true }],
      ['18', { required: false, updatable: false, visible: true }],
      ['panellist', { required: false, updatable: false, visible: true }],
      ['action', { required: true, updatable: true, visible: true }],
      ['21', { required: true, updatable: true, visible: true }],
      ['placemap', { required: true, updatable: true, visible: true }],
    ])('in context %s', async (context, expected) => {
      expect(await field('mov_title', context)).toMatchObject(expected)
    })

    it('passwords are to be seen where they are filled in only', async () => {
      const seen = await Promise.all(
        ['none', 'search', 'list', 'create', 'update'].map(async (each) => (await field('mov_secret', each))?.visible),
      )
      expect(seen).toEqual([false, false, false, true, true])
    })

    it('the context has two spellings', async () => {
      expect(await metadata('/Movie/_metadata?_metadatacontext=list')).toEqual(
        await metadata('/Movie/_metadata?_metadacontext=2'),
      )
    })

    it.each([
      ['/Movie/?_metadata=true&_metadacontext=nope', 'nope'],
      ['/Movie/?_metadata=true&_metadacontext=23', '23'],
      ['/Movie/?_metadata=true&_metadacontext=', ''],
      ['/Movie/?_metadata=true&_metadacontext=1&_metadatacontext=1', 'both'],
      ['/Movie/?_metadacontext=1', '_metadacontext'],
      ['/Movie/?_metadata=true&mov_year=1', 'mov_year'],
      ['/Movie/_metadata?_metadata=true', 'more than once'],
    ])('GET %s is 400', async (path, named) => {
      const { status, json } = await suite.call('GET', path)
      expect([status, json.code]).toEqual([400, 'ERR_BAD_REQUEST'])
      expect(json.error).toContain(named)
    })

    it('is about what the user may do', async () => {
      const whole = await metadata('/Movie/_metadata')
      const own = await metadata('/Movie/_metadata', 'rob')
      expect(own).toMatchObject({ create: false, update: false, del: false, copy: false, updateAll: false })
      const names = ({ fields }: ObjectMetadata): string[] => fields.map(({ name }) => name)
      expect(names(own)).toEqual(names(whole).filter((name) => name !== 'mov_gross'))
      expect(own.fields.filter(({ updatable }) => updatable)).toEqual([])
      expect(JSON.stringify(own)).not.toContain('mov_gross')
    })

    it('is refused like a search', async () => {
      expect((await suite.call('GET', '/Movie/_metadata', { user: 'nil' })).status).toBe(403)
      expect((await suite.call('GET', '/Genre/?_metadata=true', { user: 'rob' })).status).toBe(403)
      expect((await suite.call('GET', '/Nope/?_metadata=true')).status).toBe(404)
      expect((await suite.call('POST', '/Movie/_metadata')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    })

    it.each(['/_metadata', '?_metadata=true', '/_metadata?_metadacontext=update'])(
      'GET /Book/<row_id>%s says what can be done with a record now',
      async (path) => {
        const names = async (kind: string): Promise<string[]> => {
          const { json } = await suite.call('POST', '/Book', {
            json: { boo_title: `m ${kind}${path}`, boo_kind: kind },
          })
          const { actions, update } = await metadata(`/Book/${json.row_id}${path}`)
          expect(update).toBe(true)
          return actions.map(({ name }) => name)
        }
        const fiction = await names('F')
        expect(fiction).toContain('reprice')
        // The guard of Book's hooks.
        expect(await names('N')).toEqual(fiction.filter((name) => name !== 'reprice'))
        const { actions } = await metadata('/Book/_metadata')
        expect(actions.filter(({ scope }) => scope !== 'global').map(({ name }) => name)).toEqual(fiction)
      },
    )

    it('of a record that is not there is 404', async () => {
      expect((await suite.call('GET', '/Book/999999/_metadata')).status).toBe(404)
      expect((await suite.call('GET', '/Book/nope?_metadata=true')).status).toBe(404)
    })

    it('lists actions with their parameters', async () => {
      const { actions } = await metadata('/Book/_metadata')
      const reprice = actions.find(({ name }) => name === 'reprice')
      expect(reprice).toMatchObject({ id: 'Book.reprice', scope: 'record', background: false })
      expect(reprice?.parameters.map(({ name, type, required }) => [name, type, required])).toEqual([
        ['percent', 1, true],
        ['boo_kind', 7, false],
        ['why', 3, false],
      ])
    })
  })

  describe('documentation', () => {
    it.each([
      ['/?_doc=true', 'text/markdown; charset=utf-8', /^# application/],
      ['/_doc', 'text/markdown; charset=utf-8', /^## Genre/m],
      ['/Movie/?_doc=true', 'text/markdown; charset=utf-8', /^## Movie/m],
      ['/Movie/_doc?_output=markdown', 'text/markdown; charset=utf-8', /\| `mov_title` \|/],
      ['/Movie/_doc?_output=md', 'text/markdown; charset=utf-8', /\| `mov_title` \|/],
      [
        '/Movie/?_doc=true&_output=html',
        'text/html; charset=utf-8',
        /^<!doctype html>[^]*<td><code>mov_title<\/code><\/td>/,
      ],
      ['/Movie/?_doc=true&_output=openapi', 'application/json; charset=utf-8', /^\{"openapi":"3\.1\.0"/],
    ])('GET %s is %s', async (path, type, content) => {
      const { status, headers, text } = await suite.call('GET', path)
      expect([status, headers.get('content-type')]).toEqual([200, type])
      expect(text).toMatch(content)
    })

    it('OpenAPI is YAML for who prefers it', async () => {
      const answer = await suite.call('GET', '/_doc?_output=openapi', { headers: { accept: 'application/yaml' } })
      expect(answer.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
      expect(answer.text).toMatch(/^openapi: 3\.1\.0\n/)
    })

    it('a page loads and runs nothing', async () => {
      const { headers, text } = await suite.call('GET', '/_doc?_output=html')
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri/)
      expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|https?:/i)
    })

    it('names every operation once', async () => {
      const { json } = await suite.call('GET', '/_doc?_output=openapi')
      const ids = Object.values(json.paths).flatMap((path) =>
        Object.values(path as object).map(({ operationId }) => operationId as string),
      )
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toEqual(
        expect.arrayContaining(
          ['search', 'count', 'get', 'create', 'update', 'delete', 'upsert', 'batch', 'metadata', 'crosstab-years'].map(
            (id) => `obj-movie-${id}`,
          ),
        ),
      )
      expect(ids).toContain('obj-book-action-reprice')
    })

    describe('of rob, who may read movies', () => {
      let json: { paths: object; components: { schemas: Record<string, { properties?: object }> } }
      beforeAll(async () => {
        json = (await suite.call('GET', '/_doc?_output=openapi', { user: 'rob' })).json
      })

      it('has nothing of other objects, and no writes', () => {
        const paths = Object.entries(json.paths)
        expect(paths.filter(([path]) => !/^\/(?:$|_|Movie)/.test(path))).toEqual([])
        expect(
          paths.filter(
            ([path, methods]) => /^\/Movie(?!\/_search)/.test(path) && Object.keys(methods).join() !== 'get',
          ),
        ).toEqual([])
        expect(Object.keys(json.components.schemas).filter((name) => !name.startsWith('rest.'))).toEqual(['Movie'])
      })

      it('does not know what is hidden', () => {
        expect(JSON.stringify(json)).not.toContain('mov_gross')
      })
    })

    it('is refused to who may do nothing with the object', async () => {
      expect((await suite.call('GET', '/Movie/_doc', { user: 'nil' })).status).toBe(403)
      expect((await suite.call('GET', '/_doc', { user: 'nil' })).text).not.toContain('Movie')
      expect((await suite.call('GET', '/Nope/?_doc=true')).status).toBe(404)
    })

    it.each(['_output=pdf', '_output=', '_output=html&_output=html', '_page=1', 'mov_year=1'])(
      'with %s is 400',
      async (query) => {
        expect((await suite.call('GET', `/Movie/_doc?${query}`)).status).toBe(400)
      },
    )
  })
}
