import type { AnswerOptions, SearchRequest } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { RestCall } from './call.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import { orderPrefix, parameters, takesNames } from './parameters.js'
import type { Operation } from './parameters.js'
import type { QueryPairs } from './query-string.js'

/** What the parameters of a request ask for. */
export interface RequestQuery extends SearchRequest {
  /** Application info: only the session. */
  readonly session: boolean
  /** Count instead of the records. */
  readonly count: boolean
  /** Everything runs, nothing is kept. */
  readonly dryRun: boolean
  /** The parameters that only one operation knows, as they were sent, by name. */
  readonly own: { readonly [name: string]: string }
}

/** Names in a list such as `_fields`. Not specified; chosen as for parameters. */
const mostNames = 1_000

const nothing: RequestQuery = Object.freeze({ session: false, count: false, dryRun: false, own: {} })

type Building = { -readonly [K in keyof Omit<RequestQuery, 'own'>]: RequestQuery[K] } & { own: Record<string, string> }

/**
 * Reads and checks the parameters of one operation.
 *
 * @throws RestError ERR_BAD_REQUEST naming the parameter that is unknown, out of place, above the level, repeated or wrong.
 */
export function readQuery(pairs: QueryPairs, operation: Operation, level: Level): RequestQuery {
  if (pairs.length === 0) return nothing
  const query: Building = { session: false, count: false, dryRun: false, own: {} }
  const seen = new Set<string>()
  const filters: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
  const priorities: { priority: number; field: string; descending: boolean }[] = []

  for (const [name, value] of joinLists(pairs)) {
    if (Object.hasOwn(parameters, name) && (name.startsWith('_') || operation === 'info')) {
      if (seen.has(name)) throw wrong(`Parameter "${name}" is given more than once.`)
      seen.add(name)
      checkLevel(name, level)
      if (isOff(name, value)) continue
      checkPlace(name, operation)
      readParameter(query, name, value)
    } else if (name.startsWith('_') || !takesNames.has(operation)) {
      throw unknown(name)
    } else if (name.startsWith(orderPrefix)) {
      priorities.push(readPriority(name, value))
    } else {
      const before = filters[name]
      filters[name] = before === undefined ? value : [before, value].flat()
      query.filters = filters
    }
  }
  if (priorities.length > 0) {
    if (query.order) throw wrong(`Sort by "_order" or by "${orderPrefix}…", not by both.`)
    query.order = priorities.toSorted((a, b) => a.priority - b.priority)
  }
  if (query.cursor !== undefined && query.count) throw wrong('Parameter "_cursor" has no meaning with "_count".')
  if (query.pageSize !== undefined && !query.count && query.cursor === undefined) query.page ??= 0
  return query
}

/** The part of the query that is about the answer; `undefined` for the default one. */
export function answerOptions(
  call: Pick<RestCall, 'memory'>,
  { fields, timestamps, inlineDocuments, inlineThumbnails }: RequestQuery,
): AnswerOptions | undefined {
  if (!fields && !timestamps && !inlineDocuments && !inlineThumbnails) return undefined
  return withMemory(call, { fields, timestamps, inlineDocuments, inlineThumbnails })
}

/** Lets the contents of documents in the answer be counted. */
export function withMemory<T extends AnswerOptions>(call: Pick<RestCall, 'memory'>, options: T): T {
  return options.inlineDocuments || options.inlineThumbnails ? { ...options, memory: call.memory() } : options
}

/** Parameters that are lists may be repeated, which is how many clients write an array: as if with commas between the values. */
function joinLists(pairs: QueryPairs): QueryPairs {
  const lists = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    if (!isList(name)) continue
    const values = lists.get(name)
    if (values) values.push(value)
    else lists.set(name, [value])
  }
  if ([...lists.values()].every(({ length }) => length === 1)) return pairs
  return [
    ...pairs.filter(([name]) => !lists.has(name)),
    ...[...lists].map(([name, values]) => [name, values.join(',')] as const),
  ]
}

function isList(name: string): boolean {
  return name.startsWith('_') && Object.hasOwn(parameters, name) && listForms.has(parameters[name]?.form ?? '')
}

const listForms: ReadonlySet<string> = new Set(['fields', 'order', 'documents', 'images'])

/** A flag that is off asks for nothing, wherever it is; `_atomic` is on unless it says so. */
export function isOff(name: string, value: string): boolean {
  return name !== '_atomic' && parameters[name]?.form === 'flag' && (value === 'false' || value === '0')
}

function checkLevel(name: string, level: Level): void {
  const { since } = parameters[name] as (typeof parameters)[string]
  if (!hasLevel(level, since))
    throw wrong(`Parameter "${name}" came with level ${since}; this application runs at level ${level}.`)
}

function checkPlace(name: string, operation: Operation): void {
  if (!parameters[name]?.on.includes(operation)) throw wrong(`Parameter "${name}" has no meaning here (${operation}).`)
}

function readParameter(query: Building, name: string, value: string): void {
  switch (name) {
    case 'session':
      query.session = readBoolean(name, value)
      break
    case '_count':
      query.count = readBoolean(name, value)
      break
    case '_page':
      query.page = readNumber(name, value)
      break
    case '_pagesize':
      query.pageSize = readNumber(name, value)
      break
    case '_filter':
      query.expression = value
      break
    case '_order':
      query.order = readList(name, value).map((item) => {
        return item.startsWith('-') ? { field: item.slice(1), descending: true } : { field: item, descending: false }
      })
      break
    case '_fields':
      query.fields = readList(name, value)
      break
    case '_timestamps':
      query.timestamps = readBoolean(name, value)
      break
    case '_inline_documents':
      query.inlineDocuments = readInline(name, value)
      break
    case '_inline_thumbnails':
      query.inlineThumbnails = readInline(name, value)
      break
    case '_dryrun':
      query.dryRun = readBoolean(name, value)
      break
    case '_cursor':
      query.cursor = value
      break
    case '_metadata':
    case '_doc':
    case '_crosstabcubes':
      readBoolean(name, value)
      query.own[name] = value
      break
    default:
      query.own[name] = value
  }
}

/** `true` or `false`, also `1` or `0`. @throws RestError ERR_BAD_REQUEST */
export function readBoolean(name: string, value: string): boolean {
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw wrong(`Parameter "${name}" is "${shown(value)}"; give true or false.`)
}

function readNumber(name: string, value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw wrong(`Parameter "${name}" is "${shown(value)}"; give a whole number from 0 on.`)
  return Number(value)
}

function readList(name: string, value: string): string[] {
  const given = value.split(',', mostNames + 1)
  if (given.length > mostNames) throw wrong(`Parameter "${name}" has more than ${mostNames} names.`)
  const items = given.map((item) => item.trim())
  if (items.includes('')) throw wrong(`Parameter "${name}" is "${shown(value)}"; give names with commas between them.`)
  return items
}

/** `true`, or field names. Source: docs/spec/wire-decisions.md, "document, image". */
function readInline(name: string, value: string): true | string[] | undefined {
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return undefined
  const names = readList(name, value)
  return names.includes('true') ? true : names
}

/** `order__<field>=±n`; a `+` that was not percent-encoded arrives as a space. */
function readPriority(name: string, value: string): { priority: number; field: string; descending: boolean } {
  const [, sign, digits] = /^\s*([+-]?)(\d{1,3})$/.exec(value) ?? []
  if (!digits || Number(digits) === 0)
    throw wrong(
      `Parameter "${name}" is "${shown(value)}"; give its place in the sort: 1, 2 …, or -1, -2 … for descending.`,
    )
  return { priority: Number(digits), field: name.slice(orderPrefix.length), descending: sign === '-' }
}

function unknown(name: string): RestError {
  return wrong(`Unknown parameter "${shown(name)}".`)
}

function wrong(text: string): RestError {
  return new RestError('ERR_BAD_REQUEST', text)
}

function shown(value: string): string {
  return value.length > 100 ? `${value.slice(0, 100)}…` : value
}
