import { describe, expect, test } from 'vitest'
import { buildRequest } from './build-request.js'
import { curlCommand } from '@steward/page-kit/call-code'
import { emptyDraft } from './draft.js'
import type { Draft } from './draft.js'
import { operations } from './operations.js'

const rest = 'http://localhost/api/rest'

function built(draft: Partial<Draft>, level = '5.1') {
  const { method, url, body, missing } = buildRequest({ ...emptyDraft, object: 'Movie', ...draft }, { rest, level })
  return { line: `${method} ${url.replace(rest, '')}`, body, missing }
}

test.each<[Partial<Draft>, string]>([
  [{ operation: 'search' }, 'GET /Movie/'],
  [
    {
      operation: 'search',
      filters: [
        { field: 'mov_title', value: 'A&B %' },
        { field: '', value: 'x' },
        { field: 'x', value: ' ' },
      ],
      order: '-a,b',
    },
    'GET /Movie/?mov_title=A%26B%20%25&_order=-a,b',
  ],
  [{ operation: 'page' }, 'GET /Movie/?_page=0'],
  [{ operation: 'page', page: '2', pageSize: '10' }, 'GET /Movie/?_page=2&_pagesize=10'],
  [{ operation: 'page', page: '2', cursor: '' }, 'GET /Movie/?_cursor='],
  [{ operation: 'count' }, 'GET /Movie/?_count=true'],
  [{ operation: 'indexSearch', words: 'dark kni*' }, 'GET /Movie/?_indexsearch=dark%20kni*'],
  [{ operation: 'indexSearch', words: 'x', object: '' }, 'GET /_index/?_indexsearch=x'],
  [
    {
      operation: 'get',
      rowId: ' 17 ',
      fields: ['a', 'b'],
      timestamps: true,
      inlineDocuments: true,
      inlineThumbnails: true,
    },
    'GET /Movie/17?_fields=a,b&_timestamps=true&_inline_documents=true&_inline_thumbnails=true',
  ],
  [{ operation: 'get', rowId: 'a/b?' }, 'GET /Movie/a%2Fb%3F'],
  [{ operation: 'create', dryRun: true }, 'POST /Movie?_dryrun=true'],
  [{ operation: 'update', rowId: '17' }, 'PUT /Movie/17'],
  [{ operation: 'delete', rowId: '17' }, 'DELETE /Movie/17'],
  [{ operation: 'upsert', key: 'a b, c:d' }, 'PUT /Movie/_key/a%20b,c%3Ad'],
  [{ operation: 'batch', atomic: false }, 'POST /Movie/_batch?_atomic=false'],
  [{ operation: 'action', action: 'rate', rowId: '17', order: 'x' }, 'POST /Movie/17/action:rate'],
  [
    { operation: 'action', action: 'rate', byGet: true, parameters: { stars: '5', text: '' }, order: 'x' },
    'GET /Movie/action:rate?stars=5&_order=x',
  ],
  [{ operation: 'publication', publication: 'sheet', asJson: true }, 'GET /Movie/publication:sheet?_output=json'],
  [{ operation: 'crosstab', crosstab: 'years', cubes: true }, 'GET /Movie/?_crosstab=years&_crosstabcubes=true'],
  [{ operation: 'document', rowId: '1', documentField: 'mov_poster' }, 'GET /Movie/1/_document/mov_poster'],
  [{ operation: 'thumbnail', rowId: '1', documentField: 'mov_poster' }, 'GET /Movie/1/_thumbnail/mov_poster'],
  [{ operation: 'metadata', context: 'create' }, 'GET /Movie/?_metadata=true&_metadacontext=create'],
  [{ operation: 'documentation', output: 'html' }, 'GET /Movie/?_doc=true&_output=html'],
  [{ operation: 'documentation', object: '' }, 'GET /?_doc=true'],
  [{ operation: 'info', sessionOnly: true }, 'GET /?session=true'],
  [{ operation: 'task', task: 'x' }, 'GET /_task/x'],
  [{ operation: 'cancelTask', task: 'x' }, 'DELETE /_task/x'],
])('buildRequest(%j) is %s', (draft, line) => {
  expect(built(draft)).toMatchObject({ line, missing: [] })
})

test.each<[Partial<Draft>, string]>([
  [{ operation: 'action', action: 'rate', rowId: '1' }, 'POST /Movie/1?_action=rate'],
  [{ operation: 'publication', publication: 'sheet' }, 'GET /Movie/?_printtemplate=sheet'],
])('below level 5.1 buildRequest(%j) is %s', (draft, line) => {
  expect(built(draft, '5.0').line).toBe(line.replace('/?', '?'))
})

test('the body of a write is what was entered, that of an action its parameters', () => {
  expect(built({ operation: 'create', body: '{"a":' }).body).toBe('{"a":')
  expect(built({ operation: 'update', rowId: '1' }).body).toBe('{}')
  expect(built({ operation: 'action', action: 'x', parameters: { a: '1', b: '' } }).body).toBe('{"a":"1"}')
  expect(built({ operation: 'get', rowId: '1', body: '{}' }).body).toBeUndefined()
})

test.each(operations.map(({ name }) => name))('%s of nothing says what is missing, in the address too', (operation) => {
  const { line, missing } = built({ operation, object: '' })
  const marked = /\{(.+?)\}/.test(line)
  expect(marked).toBe(missing.some((part) => part === 'object' || part === 'task'))
  expect(built({ operation }).missing).not.toContain('object')
})

describe('curlCommand()', () => {
  const url = 'http://x/y'
  test.each([
    ['GET', {}, undefined, { kind: 'nobody' }, `curl 'http://x/y'`],
    ['GET', {}, undefined, { kind: 'password', login: "o'n" }, String.raw`curl -u 'o'\''n' 'http://x/y'`],
    ['DELETE', {}, undefined, { kind: 'token' }, `curl -H "Authorization: Bearer $TOKEN" -X DELETE 'http://x/y'`],
    ['POST', { A: 'b' }, '{"a":"$(x)"}', { kind: 'nobody' }, `curl -H 'A: b' -d '{"a":"$(x)"}' 'http://x/y'`],
    ['PUT', {}, '@/etc/passwd', { kind: 'nobody' }, `curl -X PUT --data-raw '@/etc/passwd' 'http://x/y'`],
  ] as const)('%s %j %s', (method, headers, body, by, command) => {
    const request = { method, url, headers, missing: [], ...(body !== undefined && { body }) }
    expect(curlCommand(request, by)).toBe(command)
  })
})
