import type { BenchDatabase } from './databases.ts'
import { words } from './data.ts'
import type { ItemInput, ItemRecord } from './model.ts'
import { base } from './operations.ts'
import type { ServerProcess } from './process.ts'
import { authorization, demands } from './servers.ts'

interface Reply {
  readonly status: number
  readonly body: unknown
}

const input: Omit<ItemInput, 'itm_code'> = {
  itm_name: `${words[0]} checked`,
  itm_desc: 'Ünïcode, "quotes" and \\ are kept.',
  itm_price: 1234.5,
  itm_qty: 3,
  itm_active: true,
  itm_status: 'C',
  itm_date: '2024-02-29',
  itm_dt: '2024-02-29 23:59:59',
  itm_category_id: '17',
}

/**
 * Asks every server the same and compares the answers with those of the first one, so that none is fast by doing less.
 * @throws Error with one line that names the server, the request and the difference.
 */
export async function check(database: BenchDatabase, servers: readonly ServerProcess[]): Promise<void> {
  const replies = new Map<string, string>()
  for (const server of servers) {
    for (const [request, reply] of Object.entries(await interview(database, server))) {
      const text = asText(reply)
      const expected = replies.get(request)
      if (expected === undefined) replies.set(request, text)
      else if (expected !== text)
        throw new Error(
          `${server.name} differs from ${servers[0]?.name} in "${request}": ${difference(text, expected)}`,
        )
    }
    if (demands[server.name].guarded) await checkGuarded(server)
  }
  await database.tidy()
}

async function interview(database: BenchDatabase, server: ServerProcess): Promise<Record<string, Reply>> {
  const ask = (method: string, rest: string, body?: object) => send(server, method, rest, body)
  const code = `CHECK-${server.name}`
  const created = await ask('POST', '', { itm_code: code, ...input })
  const { row_id: rowId } = created.body as ItemRecord
  const record = { row_id: rowId, itm_code: code, ...input, itm_category_id__cat_name: 'Category 17' }
  expectSame(server, 'a created record', created, { status: 200, body: record })
  expectSame(server, 'a created record that is read', await ask('GET', rowId), created)
  const changes = { itm_qty: 4, itm_name: 'changed' }
  const updated = await ask('PUT', rowId, changes)
  expectSame(server, 'an updated record', updated, { status: 200, body: { ...record, ...changes } })
  expectSame(server, 'an updated record that is read', await ask('GET', rowId), updated)
  await expectStamps(database, server, rowId)

  const search = (status: string, word: string | undefined, page: number) =>
    ask('GET', `?itm_status=${status}&itm_name=%25${word}%25&_page=${page}&_pagesize=20`)
  const searchOr = (word: string | undefined, category: number, status: string) => {
    const filter = `(itm_name like '%${word}%' or itm_category_id__cat_name = 'Category ${category}') and itm_status = '${status}'`
    return ask('GET', `?_filter=${encodeURIComponent(filter)}&_page=0&_pagesize=20`)
  }
  const missing = await ask('GET', '999999999')
  const missed = await ask('PUT', '999999999', { itm_qty: 1, itm_name: 'nobody' })
  return {
    'get 1': await ask('GET', '1'),
    'get 777': await ask('GET', '777'),
    'get a row that is not there': { ...missing, body: undefined },
    'search 20': await search('B', words[1], 0),
    'search 20, case of letters': await search('A', words[2]?.toUpperCase(), 0),
    'search 20, third page': await search('D', words[3], 2),
    'search 20, nothing found': await search('B', 'no such word', 0),
    ...(!demands[server.name].withoutOr && {
      'search or': await searchOr(words[4], 17, 'B'),
      'search or, the category only': await searchOr('no such word', 3, 'A'),
    }),
    'search 100': await ask('GET', '?_page=0&_pagesize=100'),
    'search 100, second page': await ask('GET', '?_page=1&_pagesize=100'),
    create: anonymous(created),
    update: anonymous(updated),
    'update a row that is not there': { ...missed, body: undefined },
  }
}

async function send(server: ServerProcess, method: string, rest: string, body?: object): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${server.port}${base}${rest}`, {
    method,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (response.ok && !isJson)
    throw new Error(`${server.name} answered ${method} ${rest} with ${response.headers.get('content-type')}`)
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

/** Created records differ in their id and code from server to server. */
function anonymous({ status, body }: Reply): Reply {
  return { status, body: { ...(body as ItemRecord), row_id: '…', itm_code: '…' } }
}

function expectSame(server: ServerProcess, what: string, found: Reply, expected: Reply): void {
  const [left, right] = [asText(found), asText(expected)]
  if (left !== right) throw new Error(`${server.name} answers ${what} differently: ${difference(left, right)}`)
}

/** The reply with the keys of its records in one order. */
function asText({ status, body }: Reply): string {
  return `${status} ${JSON.stringify(body, sortKeys)}`
}

/** Every server fills the technical columns of what it writes. */
async function expectStamps({ db }: BenchDatabase, server: ServerProcess, rowId: string): Promise<void> {
  const names = ['created_dt', 'created_by', 'updated_dt', 'updated_by']
  const row = (await db('item').select(names).where('row_id', rowId).first()) ?? {}
  const today = new Date().toISOString().slice(0, 4)
  const isBad = (name: string) => (name.endsWith('_dt') ? !String(row[name]).startsWith(today) : !row[name])
  const bad = names.find(isBad)
  if (bad !== undefined) throw new Error(`${server.name} does not fill ${bad} (found ${String(row[bad])})`)
}

async function checkGuarded(server: ServerProcess): Promise<void> {
  const url = `http://127.0.0.1:${server.port}${base}1`
  const stranger = await fetch(url)
  if (stranger.status !== 401) throw new Error(`${server.name} answers ${stranger.status} without credentials, not 401`)
  const known = await fetch(url, { headers: { authorization } })
  const etag = known.headers.get('etag')
  if (etag === null) throw new Error(`${server.name} answers a record without an ETag`)
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function difference(text: string, expected: string): string {
  const at = [...expected].findIndex((character, index) => text[index] !== character)
  const part = (whole: string) => JSON.stringify(whole.slice(Math.max(0, at - 40), at + 60))
  return at < 0 ? `more than expected: ${part(text)}` : `${part(text)}, expected ${part(expected)}`
}
