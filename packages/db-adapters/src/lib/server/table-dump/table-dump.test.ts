import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createTranslator } from '../translate-error.js'
import { dumpTables } from './dump-tables.js'
import type { DescribeDatabase, InsertedValue, TableSession } from './format.js'
import { loadTables } from './load-tables.js'

const translate = createTranslator({ vendor: 'Test', codeOf: () => 'ERR_FAILED', codeOfText: () => 'ERR_FAILED' })

const table = {
  table: 'one',
  into: '"one"',
  columns: [
    { column: '"n"', read: '"n"' },
    { column: '"b"', kind: 'bytes', read: '"b"' },
    { column: '"d"', kind: 'double', read: '"d"', write: 'own(?)' },
  ],
  before: ['create table "one"'],
  after: ['set position'],
} as const
const describeOne: DescribeDatabase = async () => ({
  server: 'Test 1.0',
  before: ['create schema s'],
  tables: [table],
  after: ['create index i'],
})

function session(rows: TableSession['rows'] = async function* () {}) {
  const ran: string[] = []
  const inserted: (readonly InsertedValue[])[] = []
  let isEnded = false
  const own: TableSession = {
    run: async (sql) => {
      ran.push(sql)
      return []
    },
    rows,
    insert: async ({ into }, added) => {
      ran.push(`insert into ${into}`)
      inserted.push(...added)
    },
    end: async () => void (isEnded = true),
  }
  return { ran, inserted, own, ended: () => isEnded }
}

const load = (own: TableSession, content: Buffer | string) =>
  loadTables({ type: 'mssql', session: own, content: Readable.from([Buffer.from(content)]) })

describe('a dump of tables', () => {
  it('is done again in its order, with every value', async () => {
    const rows = [
      ['1', Buffer.from([0, 255]), 0.1],
      ['Ä\n\u2028"', Buffer.alloc(0), -0],
      [null, null, Number.NaN],
      ['', null, Number.NEGATIVE_INFINITY],
    ]
    const from = session(async function* () {
      yield rows
    })
    const { content, done } = dumpTables({ type: 'mssql', session: from.own, describe: describeOne, translate })
    const bytes = await buffer(content)
    await done
    expect(from.ended()).toBe(true)
    const to = session()
    await load(to.own, bytes)
    expect(to.inserted).toEqual(rows)
    expect(to.ran).toEqual([
      'create schema s',
      'create table "one"',
      'insert into "one"',
      'set position',
      'create index i',
    ])
    expect(to.ended()).toBe(true)
  })

  it('is read from the database only as fast as it is taken', async () => {
    let asked = 0
    const from = session(async function* () {
      for (; asked < 10_000; asked++) yield [['x'.repeat(10_000), null, null]]
    })
    const { content, done } = dumpTables({ type: 'mssql', session: from.own, describe: describeOne, translate })
    await new Promise((resolve) => content.once('readable', resolve))
    const before = asked
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toBeLessThan(before + 50)
    expect(asked).toBeLessThan(200)
    content.destroy()
    await expect(done).rejects.toThrow()
    expect(from.ended()).toBe(true)
  })

  it('fails with what the database says', async () => {
    const from = session(async function* () {
      yield []
      throw new Error('the disk is gone')
    })
    const { content, done } = dumpTables({ type: 'mssql', session: from.own, describe: describeOne, translate })
    await expect(buffer(content)).rejects.toThrow('Test: the disk is gone')
    await expect(done).rejects.toThrow('Test: the disk is gone')
  })
})

describe('loading refuses a dump', () => {
  const header = '{"format":"steward-tables","version":1,"type":"mssql","server":"x","created":"x"}'
  const one = '{"table":"one","into":"one","columns":[{"column":"a"}]}'
  const end = (rows: string, ...lines: string[]) => {
    const sha256 = createHash('sha256')
      .update(lines.map((line) => `${line}\n`).join(''))
      .digest('hex')
    return `{"end":${rows},"sha256":"${sha256}"}`
  }

  it.each([
    ['of another type', [header.replace('mssql', 'oracle')], 'type "oracle"'],
    ['of another version', [header.replace('"version":1', '"version":2')], 'version 2'],
    ['of records', ['{"format":"steward-records"}'], 'not a dump of tables'],
    ['without an end', [header, one, '["x"]'], 'is incomplete'],
    ['that is damaged', [header, '{"tab'], 'damaged'],
    ['with rows of another shape', [header, one, '["x","y"]'], 'other columns'],
    ['with a row before its table', [header, '["x"]'], 'other columns'],
    ['with a value that is no text', [header, one, '[{}]'], 'no text'],
    ['with a table twice', [header, one, one], 'comes twice'],
    ['with fewer rows than it says', [header, one, end('{"one":1}', header, one)], '0 rows'],
    ['that was changed', [header, one, '["x"]', end('{"one":1}', header, one, '["y"]')], 'checksum'],
    ['with more behind its end', [header, end('{}', header), one], 'after its end'],
    ['with a line of nothing', [header, 'null'], 'no statement'],
  ])('%s', async (_, lines, message) => {
    const to = session()
    await expect(load(to.own, `${lines.join('\n')}\n`)).rejects.toMatchObject({
      code: 'ERR_FAILED',
      message: expect.stringContaining(message),
    })
    expect(to.ended()).toBe(true)
  })
})
