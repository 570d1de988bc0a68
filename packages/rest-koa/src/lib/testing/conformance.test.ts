import { expect, it } from 'vitest'
import { createConformance } from './conformance.js'

const error = {
  type: 'object',
  properties: { error: {}, status: {}, code: {}, messages: {} },
  additionalProperties: false,
  required: ['error', 'status', 'code', 'messages'],
}
const conformance = createConformance({
  paths: {
    '/Movie/{row_id}': {
      get: {
        operationId: 'get',
        responses: {
          200: {
            headers: { ETag: { required: true } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Movie' } } },
          },
          404: { content: { 'application/json': { schema: { $ref: '#/components/schemas/rest.Error' } } } },
        },
      },
    },
    '/Movie/_count': {
      get: { operationId: 'count', responses: { 200: { content: { 'application/json': { schema: {} } } } } },
    },
  },
  components: {
    schemas: {
      'rest.Error': error,
      Movie: {
        type: 'object',
        properties: { row_id: { type: 'string' }, year: { type: ['integer', 'null'] } },
        additionalProperties: false,
        'x-default-fields': ['row_id', 'year'],
      },
    },
  },
})

const json = 'application/json; charset=utf-8'

function check(path: string, status: number, body: unknown, headers: Record<string, string> = { etag: '"1"' }) {
  const text = JSON.stringify(body)
  const answer = { status, headers: new Headers({ 'content-type': json, ...headers }), text, json: body }
  return conformance.check({ method: 'GET', path, headers: {} }, answer)
}

it('a fitting answer is right', () => {
  expect(check('/Movie/1', 200, { row_id: '1', year: null })).toBeUndefined()
  expect(check('/Movie/1/?_fields=year', 200, { row_id: '1', year: 1 })).toBeUndefined()
  expect(check('/Movie/0?_count=true', 200, 7, {})).toBeUndefined()
})

it.each([
  ['an undocumented status', '/Movie/1', 202, {}, {}, /202, which is not documented/],
  ['a value of another type', '/Movie/1', 200, { row_id: '1', year: 'x' }, undefined, /year must be/],
  ['a field too many', '/Movie/1', 200, { row_id: '1', year: 1, more: 1 }, undefined, /additional/],
  ['a field too few', '/Movie/1', 200, { row_id: '1' }, undefined, /fields are row_id/],
  ['a field that was not asked for', '/Movie/1?_fields=row_id', 200, { row_id: '1', year: 1 }, undefined, /fields are/],
  ['a missing header', '/Movie/1', 200, { row_id: '1', year: 1 }, {}, /ETag|etag/],
  ['another content type', '/Movie/1', 200, {}, { etag: '1', 'content-type': 'text/plain' }, /text\/plain/],
  ['an error in another form', '/Movie/1', 404, { error: 'x', status: 404 }, {}, /required property/],
  ['an error that gives another status', '/Movie/1', 404, { error: '', status: 400 }, {}, /says 400/],
  ['an address that is not documented', '/Nope', 200, {}, {}, /not documented, but answers 200/],
] as const)('%s is wrong', (_, path, status, body, headers, message) => {
  expect(check(path, status, body, headers)).toMatch(message)
})
