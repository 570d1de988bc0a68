import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { DatabaseKind, Target } from '../databases.ts'
import type { ItemInput } from '../model.ts'
import { base } from '../operations.ts'
import { eitherOf } from './item.ts'
import type { OpenServer } from '../servers.ts'

/** A page of items: those of a status with a pattern in the name, or all. */
export interface PageRequest {
  readonly status: string | undefined
  readonly name: string | undefined
  /** With it, either the name or this one of the category matches. */
  readonly category: string | undefined
  readonly size: number
  readonly offset: number
}

type Answer<T> = T | Promise<T>

/** The hand-written SQL of one database. */
export interface RawItems {
  get(rowId: string): Answer<object | undefined>
  search(page: PageRequest): Answer<object[]>
  create(values: ItemInput): Answer<object>
  update(rowId: string, values: Partial<ItemInput>): Answer<object | undefined>
}

/** The limit: the driver served by node:http, with nothing in between that could be left out. */
export const open: OpenServer = async (target) => {
  const items = await openItems[target.kind](target)
  return (request, response) => {
    answer(items, request, response).catch((error: unknown) => {
      console.error(error)
      send(response, 500, { error: String(error) })
    })
  }
}

const openItems: Readonly<Record<DatabaseKind, (target: Target) => Promise<RawItems>>> = {
  sqlite: async (target) => (await import('./raw-sqlite.ts')).openItems(target),
  postgresql: async (target) => (await import('./raw-postgresql.ts')).openItems(target),
  mysql: async (target) => (await import('./raw-mysql.ts')).openItems(target),
}

async function answer(items: RawItems, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? ''
  if (!url.startsWith(base)) return send(response, 404, { error: 'unknown object' })
  const rest = url.slice(base.length)
  if (request.method === 'GET') {
    if (rest === '' || rest.startsWith('?')) return send(response, 200, await items.search(pageRequest(rest.slice(1))))
    return sendFound(response, await items.get(rest))
  }
  const body = JSON.parse(await read(request))
  if (request.method === 'POST') return send(response, 200, await items.create(body))
  if (request.method === 'PUT') return sendFound(response, await items.update(rest, body))
  send(response, 405, { error: 'unknown method' })
}

function pageRequest(text: string): PageRequest {
  const query = parse(text) as Record<string, string | undefined>
  const size = Number(query['_pagesize'] ?? 50)
  const [, name = query['itm_name'], category, status = query['itm_status']] = eitherOf(query['_filter'])
  return { status, name, category, size, offset: size * Number(query['_page'] ?? 0) }
}

function read(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks))))
    request.on('error', reject)
  })
}

function sendFound(response: ServerResponse, record: object | undefined): void {
  if (record === undefined) send(response, 404, { error: 'no such row' })
  else send(response, 200, record)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
