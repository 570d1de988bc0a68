import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Answer } from './caller.js'

/** A request as the check looks at it. */
export interface AskedRequest {
  readonly method: string
  /** Below the base address, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

interface Documented {
  readonly operation: Operation
  readonly pattern: RegExp
  readonly method: string
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response | Reference>>
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
  readonly headers?: Readonly<Record<string, { readonly required: boolean }>>
}

interface Reference {
  readonly $ref: string
}

/** An OpenAPI document that answers are checked against. */
export interface Conformance {
  /** The documented operation that a request calls; `undefined`: none. */
  find(request: AskedRequest): Operation | undefined
  /** What is wrong with an answer; `undefined`: nothing. */
  check(request: AskedRequest, answer: Answer): string | undefined
}

/** Headers that an answer has only where it is documented. */
const tellingHeaders = [
  'etag',
  'location',
  'link',
  'x-total-count',
  'preference-applied',
  'retry-after',
  'www-authenticate',
  'content-disposition',
  'content-range',
  'x-next-cursor',
  'x-dry-run',
  'idempotency-replayed',
]

/** Checks answers of a service against the document that it gives of itself. */
// oxlint-disable-next-line typescript/no-explicit-any -- a document of any shape
export function createConformance(document: any): Conformance {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const validators = new Map<string, ValidateFunction>()
  const operations = readOperations(document)
  return { find, check }

  function find(request: AskedRequest): Operation | undefined {
    const { method, path } = resolve(request)
    return operations.find((each) => each.method === method && each.pattern.test(path))?.operation
  }

  function check(request: AskedRequest, answer: Answer): string | undefined {
    // Node itself answers these.
    if (answer.status === 431 || request.method === 'OPTIONS') return undefined
    const operation = find(request)
    if (!operation) return checkUnknown(request, answer)
    // An action may be run by GET, but has no HEAD.
    if (answer.status === 405 && request.method === 'HEAD' && !answer.headers.get('allow')?.includes('HEAD'))
      return checkError(request, answer)
    const found = operation.responses[String(answer.status)]
    if (!found) return `${operation.operationId} answers ${answer.status}, which is not documented`
    const response = '$ref' in found ? (follow(found) as Response) : found
    const wrong = checkHeaders(response, answer) ?? checkBody(response, request, answer)
    return wrong && `${operation.operationId} ${answer.status}: ${wrong}`
  }

  /** What is not documented for this user can only be an error. */
  function checkUnknown(request: AskedRequest, answer: Answer): string | undefined {
    const { method, path } = resolve(request)
    if (answer.status < 400) return `${method} ${path} is not documented, but answers ${answer.status}`
    if (answer.status === 405) {
      const methods = operations.filter(({ pattern }) => pattern.test(path)).map((each) => each.method)
      const allowed = answer.headers.get('allow')?.split(', ') ?? []
      const missing = methods.filter((each) => !allowed.includes(each))
      if (missing.length > 0) return `${path}: Allow does not name ${missing.join()}`
    }
    return checkError(request, answer)
  }

  function checkHeaders({ headers = {} }: Response, answer: Answer): string | undefined {
    const known = new Map(Object.entries(headers).map(([name, { required }]) => [name.toLowerCase(), required]))
    for (const [name, required] of known) if (required && !answer.headers.has(name)) return `header ${name} is missing`
    const unknown = tellingHeaders.find((name) => answer.headers.has(name) && !known.has(name))
    return unknown && `header ${unknown} is not documented`
  }

  function checkBody({ content = {} }: Response, request: AskedRequest, answer: Answer): string | undefined {
    const type = answer.headers.get('content-type')?.split(';')[0]
    // Lines are a list in another form, which the document has in words: many generators take the last type for the only one.
    const documented = content[type === 'application/x-ndjson' ? 'application/json' : (type ?? '')] ?? content['*/*']
    if (Object.keys(content).length === 0) return answer.text === '' ? undefined : 'there should be no body'
    if (!documented) return `content type ${type} is not documented`
    if (request.method === 'HEAD') return answer.text === '' ? undefined : 'HEAD has a body'
    if (answer.status >= 400) return checkError(request, answer)
    const { schema } = documented
    if (type === 'application/x-ndjson') {
      const json = schema as { items?: object }
      const lines = answer.text.split('\n').filter((line) => line !== '')
      return lines
        .map((line) => validate(json.items ?? {}, JSON.parse(line), request))
        .find((wrong) => wrong !== undefined)
    }
    return type === 'application/json' ? validate(schema, answer.json, request) : undefined
  }

  function checkError({ method }: AskedRequest, { status, json, text, headers }: Answer): string | undefined {
    if (method === 'HEAD') return text === '' ? undefined : 'HEAD has a body'
    if (headers.get('content-type') !== 'application/json; charset=utf-8') return 'an error is not JSON'
    if (json?.status !== status) return `an error of status ${status} says ${json?.status}`
    return validate({ $ref: '#/components/schemas/rest.Error' }, json, undefined)
  }

  function validate(schema: object, value: unknown, request: AskedRequest | undefined): string | undefined {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    let validator = validators.get(text)
    if (!validator) validators.set(text, (validator = ajv.compile(JSON.parse(text) as object)))
    if (!validator(value)) return `${ajv.errorsText(validator.errors)} in ${JSON.stringify(value).slice(0, 500)}`
    return request && checkFields(schema, value, request)
  }

  /** A record has the fields that it should have: all, or those that were asked for. */
  function checkFields(schema: object, value: unknown, request: AskedRequest): string | undefined {
    if ('items' in schema && Array.isArray(value))
      return value.map((item) => checkFields(schema.items as object, item, request)).find((wrong) => wrong)
    const record = '$ref' in schema ? (follow(schema as Reference) as Record<string, unknown>) : {}
    const usual = record['x-default-fields'] as readonly string[] | undefined
    if (!usual) return undefined
    const query = new URLSearchParams(request.path.split('?')[1] ?? '')
    const asked = query.has('_fields') ? query.getAll('_fields').join().split(',') : undefined
    const technical = ['created_dt', 'created_by', 'updated_dt', 'updated_by']
    const expected = new Set([
      'row_id',
      ...(asked?.map((name) => name.trim()) ?? usual),
      ...(['true', '1'].includes(query.get('_timestamps') ?? '')
        ? technical.filter((name) => name in (record['properties'] as object))
        : []),
    ])
    const names = Object.keys(value as object)
    return names.length === expected.size && names.every((name) => expected.has(name))
      ? undefined
      : `fields are ${names.join()}, not ${[...expected].join()}`
  }

  function follow({ $ref }: Reference): unknown {
    return $ref
      .split('/')
      .slice(1)
      .reduce((node, name) => node[name], document)
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- see above
function readOperations(document: any): Documented[] {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>)
  const known = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operation,
      method: method.toUpperCase(),
      pattern: new RegExp(
        `^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name) => (name === 'row_id' ? '(?!_|0$|0/)(?!action:|publication:|crosstab:)[^/]+' : '[^/]+'))}$`,
      ),
      literals: path.replace(/\{\w+\}/g, '').length,
    })),
  )
  return known.toSorted((a, b) => b.literals - a.literals)
}

/** Parameters that choose an operation, and the addresses that they stand for. */
const views: readonly (readonly [parameter: string, address: (value: string) => string])[] = [
  ['_action', (name) => `action:${name}`],
  ['_printtemplate', (name) => `publication:${name}`],
  ['_crosstab', (name) => `crosstab:${name}`],
  ['_metadata', () => '_metadata'],
  ['_doc', () => '_doc'],
  ['_indexsearch', () => '_index'],
  ['_count', () => '_count'],
]

/** The documented form of a request: the method that it stands for, and the address of its own. */
function resolve({ method, path, headers }: AskedRequest): { method: string; path: string } {
  const [address = '', search = ''] = path.split('?')
  const query = new URLSearchParams(search)
  const override = query.get('_method') ?? headers['x-http-method-override']
  const meant = method === 'HEAD' ? 'GET' : method === 'POST' && override ? override.toUpperCase() : method
  let place = decodeSafely(address === '' ? '/' : address)
    .replace(/([^/])\/$/, '$1')
    .replace(/^(\/[^/]+)\/\/$/, '$1')
    .replace(/^(\/[^/_][^/]*)\/[0_]?(?=$|\/(?:(?:action|publication):|_metadata$))/, '$1')
  for (const [parameter, toAddress] of views) {
    const value = query.get(parameter)
    if (value === null || value === 'false' || (value === '0' && parameter === '_count')) continue
    if (meant !== 'GET' && !(parameter === '_action' && meant === 'POST')) continue
    const rest =
      /^\/$|^\/[^/_][^/]*$/.test(place) ||
      (['_action', '_printtemplate', '_metadata'].includes(parameter) && /^\/[^/_][^/]*\/[^/_:][^/:]*$/.test(place))
    if (!rest) break
    place = `${place === '/' ? '' : place}/${toAddress(value)}`
    break
  }
  return { method: meant, path: place }
}

/** Names in paths may be percent-encoded; what cannot be decoded is not a documented address. */
function decodeSafely(text: string): string {
  try {
    return text
      .split('/')
      .map((part) => decodeURIComponent(part).replaceAll('/', '%2F'))
      .join('/')
  } catch {
    return '/%'
  }
}
