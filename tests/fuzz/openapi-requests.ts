import * as fc from 'fast-check'
import { anyCharacter } from './any-character.js'
import { anyJson, fromSchema, pictures, resolve } from './from-schema.js'
import type { Schema } from './from-schema.js'

/** One request, generated from an OpenAPI document alone. */
export interface OpenApiRequest {
  readonly operationId: string
  readonly method: string
  /** `{row_id}` stands for a row id from an answer, if there is one. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
  /** Which of the known row ids. */
  readonly row: number
  /** It keeps to all that the document says, and the document says all. */
  readonly valid: boolean
}

interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Schema[]
  readonly body: Schema | undefined
}

/** The operations of a document. */
function operationsOf(document: Schema): Operation[] {
  return Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((each: Schema) => resolve(each, document)),
      body: requestBody,
    })),
  )
}

/** At least that many requests to all operations in turn, half of them with a mistake; the same ones for the same seed. */
export function requestsOf(document: Schema, count: number, seed: number): OpenApiRequest[] {
  const operations = operationsOf(document)
  const each = Math.ceil(count / operations.length / 2)
  return operations
    .flatMap((operation) => [
      ...fc.sample(validRequest(operation, document), { seed, numRuns: each }),
      ...fc.sample(invalidRequest(operation, document), { seed, numRuns: each }),
    ])
    .map((request, place) => ({ request, place: (place * 7919) % 1_000_003 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ request }) => request)
}

/** Requests to one operation that the document allows. */
function validRequest(operation: Operation, document: Schema): fc.Arbitrary<OpenApiRequest> {
  const { operationId, method, path, parameters, body } = operation
  const places = Object.groupBy(parameters, (parameter) => parameter.in as string)
  const content = body ? bodies(body, document) : fc.constant({ headers: {}, body: undefined })
  return fc
    .record({
      row: fc.nat(50),
      names: fc.record<Record<string, unknown>>(
        Object.fromEntries((places['path'] ?? []).map(({ name, schema }) => [name, fromSchema(schema, document)])),
      ),
      query: fc.tuple(...(places['query'] ?? []).map((parameter) => queryPart(parameter, document))),
      headers: fc.record(
        Object.fromEntries(
          (places['header'] ?? []).map(({ name, schema }) => [name, seldom(headerText(schema, document), 12)]),
        ),
      ),
      content,
    })
    .map(({ row, names, query, headers, content: sent }) => {
      const parts = query.filter((part) => part !== undefined)
      const given = Object.entries(headers).filter(([, value]) => value !== undefined)
      return {
        operationId,
        method,
        path: withQuery(
          path.replace(/\{(\w+)\}/g, (braces, name: string) =>
            name === 'row_id' ? braces : encode(String(names[name])),
          ),
          parts.map(({ text }) => text).filter((text) => text !== ''),
        ),
        headers: { ...(Object.fromEntries(given) as Record<string, string>), ...sent.headers },
        body: sent.body,
        row,
        valid: parts.every(({ described }) => described) && !path.includes('{key}') && agree(parts, given),
      }
    })
}

/** What is said in words: a cursor is not a page, one context is enough, a batch item by item has no key. */
function agree(parts: readonly { readonly name: string }[], headers: readonly (readonly [string, unknown])[]): boolean {
  const names = parts.map(({ name }) => name)
  if (names.includes('_cursor') || (names.includes('_metadacontext') && names.includes('_metadatacontext')))
    return false
  return !(names.includes('_atomic') && headers.some(([name]) => name === 'Idempotency-Key'))
}

interface QueryPart {
  readonly name: string
  readonly text: string
  /** The schema says all: it is not a filter, which has a language of its own. */
  readonly described: boolean
}

function queryPart(parameter: Schema, document: Schema): fc.Arbitrary<QueryPart | undefined> {
  const { name, required, schema, explode, style } = parameter
  const filter = schema.items?.type === 'string' && schema.items.enum === undefined && explode === true
  const text = filter ? fc.array(filterText, { minLength: 1, maxLength: 2 }) : fromSchema(schema, document)
  const free = filter || (schema.type === 'string' && !schema.enum && !schema.pattern)
  const part = text.map((value) => {
    const texts = [value].flat().map((each) => encode(String(each ?? '')))
    const pairs = style === 'form' && explode === false ? [texts.join(',')] : texts
    return { name, text: pairs.map((each) => `${encode(name)}=${each}`).join('&'), described: !free }
  })
  return required ? part : seldom(part, free ? 30 : 8)
}

/** Pieces of the filter language, and anything else. */
const filterText = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    'a*',
    '%',
    '1;5',
    ';',
    '> 1',
    '= 1',
    'is null',
    'is not null',
    "in ('a', 'b')",
    "like 'a%'",
    '[DATE:-1m]',
    '2024-01-01',
    'true',
    "<> 'x' or is null",
    'not (',
    "'",
  ),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
)

function headerText(schema: Schema, document: Schema): fc.Arbitrary<string> {
  if (schema.pattern) return fromSchema(schema, document) as fc.Arbitrary<string>
  return fc.constantFrom(
    '*',
    '"x"',
    'W/"x"',
    '"a", "b"',
    'count=exact',
    'bytes=0-1',
    'bytes=5-',
    'bytes=-1',
    'bytes=9-2',
    'x',
  )
}

function bodies(
  body: Schema,
  document: Schema,
): fc.Arbitrary<{ headers: Record<string, string>; body: string | Buffer | undefined }> {
  const kinds = Object.entries(body.content as Record<string, { schema: Schema }>).map(([type, { schema }]) => {
    if (type === 'application/json')
      return fromSchema(schema, document).map((value) => ({
        headers: { 'content-type': type },
        body: JSON.stringify(value),
      }))
    if (type === 'application/x-www-form-urlencoded')
      return (fromSchema(schema, document) as fc.Arbitrary<Record<string, unknown>>).map((value) => ({
        headers: { 'content-type': type },
        body: Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .flatMap(([name, each]) => [each].flat().map((one) => `${encode(name)}=${encode(String(one ?? ''))}`))
          .join('&'),
      }))
    return fc
      .tuple(
        fc.constantFrom('text/plain', 'image/png', 'application/octet-stream'),
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.constantFrom(...pictures).map((base64) => Buffer.from(base64, 'base64')),
        ),
      )
      .map(([media, bytes]) => ({ headers: { 'content-type': media }, body: Buffer.from(bytes) }))
  })
  return fc.oneof(...kinds)
}

/** Valid requests with one mistake. */
function invalidRequest(operation: Operation, document: Schema): fc.Arbitrary<OpenApiRequest> {
  return fc.tuple(validRequest(operation, document), mistake(operation)).map(([request, change]) => ({
    ...request,
    ...change(request),
    valid: false,
  }))
}

type Change = (request: OpenApiRequest) => Partial<OpenApiRequest>

function mistake({ parameters, body }: Operation): fc.Arbitrary<Change> {
  const names = parameters.filter((each) => each.in === 'query').map((each) => each.name as string)
  const name = fc.oneof(
    fc.constantFrom(...names, '_page', '_fields', 'row_id', '_method', '_output', 'x'),
    fc.string({ unit: anyCharacter, maxLength: 6 }),
  )
  const json = { 'content-type': 'application/json' }
  const changes: fc.Arbitrary<Change>[] = [
    fc.tuple(name, fc.string({ unit: anyCharacter, maxLength: 10 })).map(([each, value]) => ({ path }) => ({
      path: withQuery(path, [`${encode(each)}=${encode(value)}`]),
    })),
    name.map((each) => ({ path }) => ({ path: withQuery(path, [`${encode(each)}=1`, `${encode(each)}=2`]) })),
    fc.constantFrom('PUT', 'DELETE', 'POST', 'GET', 'PATCH', 'HEAD').map((method) => () => ({ method })),
    fc
      .constantFrom(
        '/%',
        '/..%2f',
        '/%00',
        '//',
        '/0',
        '/_',
        '/x:y',
        '/_nope',
        '/action:nope',
        '/crosstab:',
        '/_key/',
        '/_document/nope',
      )
      .map((end) => ({ path }) => ({ path: path.replace(/(?=\?|$)/, end) })),
    fc.constantFrom('__proto__', '-1', '9223372036854775808', "1'", 'null', '%F0%9F').map((id) => ({ path }) => ({
      path: path.replaceAll('{row_id}', id),
    })),
  ]
  if (body) {
    changes.push(
      anyJson.map((value) => () => ({ body: JSON.stringify(value), headers: json })),
      fc.tuple(name, anyJson).map(([each, value]) => ({ body: sent }) => ({
        body: withMember(sent, each, value),
        headers: json,
      })),
      fc.tuple(fc.nat(20), anyJson).map(([at, value]) => ({ body: sent }) => ({
        body: withValue(sent, at, value),
        headers: json,
      })),
      fc
        .constantFrom('{', '', 'null', '[]', '{"a":1,}', '\ufeff{}', '[1]', '"x"')
        .map((text) => () => ({ body: text, headers: json })),
      fc
        .constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'x')
        .map((type) => () => ({ headers: { 'content-type': type } })),
    )
  }
  return fc.oneof(...changes)
}

function withMember(body: OpenApiRequest['body'], name: string, value: unknown): string {
  const members = parse(body)
  return JSON.stringify({ ...(members as object), [name]: value })
}

function withValue(body: OpenApiRequest['body'], at: number, value: unknown): string {
  const members = Object.entries(parse(body) ?? {})
  const wrong = members.map(([name, each], place) => [name, place === at % members.length ? value : each])
  return JSON.stringify(Object.fromEntries(wrong))
}

function parse(body: OpenApiRequest['body']): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return {}
  }
}

function withQuery(path: string, parts: readonly string[]): string {
  if (parts.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${parts.join('&')}`
}

/** Percent-encodes whatever the text; dots too, since servers and clients resolve `..`. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')
}

function seldom<T>(arbitrary: fc.Arbitrary<T>, absent: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}
