import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { defineObject } from '@steward/rest-core'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyCharacter } from './fuzz/any-character.js'
import { makeFolder, startApp, type RunningApp } from '../packages/app-server/src/running-app-for-test.js'
import { basic, createCaller } from '../packages/rest-koa/src/lib/testing/caller.js'
import { connectTo } from '../packages/rest-koa/src/lib/testing/serve.js'
import { onEachDatabase, patient } from './databases.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import type { FreshDatabase } from './servers/index.js'

const Paper = defineObject({
  name: 'Paper',
  fields: {
    pap_line: { type: 'string', length: 1_000 },
    pap_text: { type: 'text' },
    pap_data: { type: 'object' },
    pap_big: { type: 'integer', precision: 18 },
    pap_exact: { type: 'decimal', precision: 38, scale: 10 },
  },
})

const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

onEachDatabase((fresh) => {
  let database: FreshDatabase
  let served: ServedObjects

  beforeAll(async () => {
    database = await fresh()
    served = await serveObjects([Paper], patient(database.url))
  })

  afterAll(async () => {
    await served?.close()
    await database?.drop()
  })

  const post = (body: string) =>
    served.call('POST', '/Paper', { body, headers: { 'content-type': 'application/json' } })
  const count = async (): Promise<number> => (await served.call('GET', '/Paper?_count=true')).json.count

  /** Creates a record and gives what is answered for it later. */
  async function roundTrip(body: string) {
    const created = await post(body)
    expect(created.status, created.text).toBe(200)
    const got = await served.call('GET', `/Paper/${created.json.row_id}`)
    expect(got.text).toBe(created.text)
    return got
  }

  describe('texts come back as they were', () => {
    it.each([
      ['control characters', String.fromCharCode(...Array.from({ length: 31 }, (_, n) => n + 1), 127, 128, 159)],
      ['what is no character', '\ufffe\uffff\ufdd0\u{1fffe}\u{10ffff}'],
      ['a byte order mark', '\ufeffa\ufeff'],
      ['line and paragraph separators', 'a\u2028b\u2029c\r\nd\re'],
      ['blanks around', ' \t a \u00a0\u3000 '],
      ['composed and decomposed', '\u00e9 e\u0301 \u1e9b\u0323'],
      ['directions', '\u202ea\u202d\u2066b\u2069\u200f'],
      ['families', '👨‍👩‍👧‍👦🏳️‍🌈 𐍈 𝒳'],
      ['quotes and escapes', `'"\`\\\\'' "" \\' \\" %_\\% $1 ? :a ; -- /* */ #`],
    ])('%s', async (_, text) => {
      const { json } = await roundTrip(JSON.stringify({ pap_line: text, pap_text: text }))
      expect([json.pap_line, json.pap_text]).toEqual([text, text])
      const search = `/Paper?_fields=pap_line&pap_line=${encodeURIComponent(`= '${text.replaceAll("'", "''")}'`)}`
      expect((await served.call('GET', search)).json).toEqual([{ row_id: json.row_id, pap_line: text }])
    })

    it('a megabyte', async () => {
      const text = '😀 é\n'.repeat(100_000)
      expect((await roundTrip(JSON.stringify({ pap_text: text }))).json.pap_text).toBe(text)
    })

    it('200 random ones, or they are refused because of NUL', async () => {
      const texts = fc.sample(fc.string({ unit: anyCharacter, maxLength: 200 }), { seed: 7, numRuns: 200 })
      for (const text of [...texts, 'a\0', '\0']) {
        const body = JSON.stringify({ pap_line: text, pap_text: text })
        if (text.includes('\0')) expect((await post(body)).status).toBe(400)
        else expect((await roundTrip(body)).json).toMatchObject({ pap_line: text, pap_text: text })
      }
    })
  })

  describe('values of objects come back as they were', () => {
    it.each([
      [
        'names of prototypes',
        '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"a":{"__proto__":[]}}',
      ],
      ['names in any order', '{"b":1,"a":2,"":3,"\'\\"`\\\\":4}'],
      ['numbers and empty values', '[0,-1,0.1,1e+308,5e-324,9007199254740991,null,true,false,"",[],{}]'],
      ['a text', '"é 😀 \\u2028 \\uffff \\u0001"'],
      ['false', 'false'],
      ['0', '0'],
      ['64 levels', nested(64)],
      ['20,000 items', `[${Array.from({ length: 20_000 }, (_, n) => n).join()}]`],
    ])('%s', async (_, text) => {
      const { text: answer } = await roundTrip(`{"pap_data":${text}}`)
      expect(answer).toContain(`"pap_data":${JSON.stringify(JSON.parse(text))}`)
      expect(({} as { admin?: boolean }).admin).toBeUndefined()
    })

    it('200 random ones', async () => {
      const values = fc.sample(fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 5 }), { seed: 8, numRuns: 200 })
      for (const value of values) {
        const body = JSON.stringify({ pap_data: value })
        if (/\\u0000/.test(body)) expect([200, 400]).toContain((await post(body)).status)
        else expect((await roundTrip(body)).json.pap_data).toEqual(value === '' ? null : JSON.parse(body).pap_data)
      }
    })
  })

  it.each([
    ['NUL in an object', 'pap_data', '{"a":"\\u0000"}'],
    ['NUL in a name', 'pap_data', '{"\\u0000":1}'],
    ['half a pair in an array', 'pap_data', '["\\ud800"]'],
    ['half a pair in a name', 'pap_data', '{"\\udfff":1}'],
    ['65 levels', 'pap_data', nested(65)],
    ['the first half of a pair', 'pap_text', '"\\ud83d"'],
    ['halves in the wrong order', 'pap_text', '"\\ude00\\ud83d"'],
    ['an array for a text', 'pap_text', nested(60)],
    ['1,001 characters', 'pap_line', `"${'é'.repeat(1_001)}"`],
    ['19 digits', 'pap_big', '1e18'],
    ['29 digits before the point', 'pap_exact', '12345678901234567890123456789'],
    ['an object for __proto__', '__proto__', '{"pap_line":"x"}'],
  ])('%s is refused and nothing is kept', async (_, field, text) => {
    const before = await count()
    const { status, json } = await post(`{"${field}":${text}}`)
    expect([status, json.code]).toEqual([400, 'ERR_VALIDATION'])
    expect(json.messages).toMatchObject([{ field }])
    expect(await count()).toBe(before)
  })

  it.each([
    ['pap_big', '999999999999999999'],
    ['pap_big', '-9007199254740993'],
    ['pap_exact', '1234567890123456789012345678.0123456789'],
    ['pap_exact', '-0.0000000001'],
  ])('%s = %s keeps every digit, also in filters', async (field, digits) => {
    const { json } = await roundTrip(`{"${field}":${digits}}`)
    expect(Number(json[field])).toBe(Number(digits))
    if (typeof json[field] === 'string') expect(json[field]).toBe(digits)
    const found = (await served.call('GET', `/Paper?_fields=${field}&${field}=${digits}`)).json as { row_id: string }[]
    expect(found.map(({ row_id }) => row_id)).toEqual([json.row_id])
  })

  it('none of this failed inside', () => {
    expect(served.failures).toEqual([])
  })
})

/** The most memory that a process ever had, in MiB; what it has now, where the system does not say. */
async function peakMemoryMib(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`])) / 1024
  const [, kib = ''] = /VmHWM:\s*(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

describe('bodies of 100 MB', () => {
  let app: RunningApp
  let removeFolder: () => Promise<void>
  const chunk = Buffer.alloc(1_000_000, ' ')
  const chunks = 100

  beforeAll(async () => {
    const { folder, remove } = await makeFolder({
      'app.yaml': 'name: papers\nversion: 1.0.0\nlog: { format: none }\n',
      'objects/paper.yaml': 'name: Paper\nfields:\n  pap_line: { type: string }\n',
    })
    removeFolder = remove
    app = await startApp([folder], { env: { STEWARD_ADMIN_PASSWORD: 'secret-one' } })
  })

  afterAll(async () => {
    await app?.end()
    await removeFolder?.()
  })

  /** Sends everything, or until the server ends the connection; gives what it answered. */
  async function sendLarge(header: string, frame: (chunk: Buffer) => Buffer): Promise<string> {
    const connection = await connectTo(Number(new URL(app.origin).port))
    const { socket } = connection
    const closed = new Promise<false>((resolve) => socket.once('close', () => resolve(false)))
    connection.send(
      `POST /api/rest/Paper HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('admin', 'secret-one')}\r\nContent-Type: application/json\r\n${header}\r\n\r\n`,
    )
    const framed = frame(chunk)
    for (let sent = 0; sent < chunks && !socket.destroyed; sent++) {
      if (socket.write(framed)) continue
      const drained = new Promise<true>((resolve) => socket.once('drain', () => resolve(true)))
      if (!(await Promise.race([drained, closed]))) break
    }
    return connection.end()
  }

  it.each([
    ['with its length', 'Content-Length: 100000000', (bytes: Buffer) => bytes],
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
    ],
  ] as const)('%s are refused, in little memory', async (_, header, frame) => {
    const call = createCaller(`${app.origin}/api/rest`, null)
    const headers = { authorization: basic('admin', 'secret-one') }
    const before = await peakMemoryMib(app.process.pid as number)
    // At the same time: kept, they would be 500 MB, far beyond what waits to be collected.
    const answers = await Promise.all(Array.from({ length: 5 }, () => sendLarge(header, frame)))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*ERR_TOO_LARGE/)
    expect((await call('GET', '/Paper?_count=true', { headers })).json.count).toBe(0)
    expect((await peakMemoryMib(app.process.pid as number)) - before).toBeLessThan(300)
  })
})
