import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createModel, defineObject, dumpRecords, loadRecords, systemPrincipal } from '@steward/rest-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importFile } from '../packages/app-server/src/lib/exchange/import-file.js'
import { exportFile } from '../packages/app-server/src/lib/exchange/write-file.js'
import { freshFile, patient } from './databases.js'
import { openRaw, type RawDatabase, type SampleDatabase } from './samples/load.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import { makeFolder } from './servers/folders.js'
import { freshDatabase, needs, type FreshDatabase } from './servers/index.js'

const Note = defineObject({
  name: 'Note',
  timestamps: false,
  fields: { code: { type: 'string', key: true }, data: { type: 'object' } },
})
const digits = '{"id":750727362669608961,"list":[9007199254740993,0.12345678901234567],"text":"9007199254740993"}'
const shown = { id: '750727362669608961', list: ['9007199254740993', '0.12345678901234567'], text: '9007199254740993' }
const boss = systemPrincipal({ login: 'io' })

interface Place {
  readonly name: SampleDatabase
  readonly database: FreshDatabase
  readonly raw: RawDatabase
  readonly served: ServedObjects
}

describe('sqlite', () => keepsDigits('sqlite', freshFile))
for (const name of ['postgresql', 'mysql'] as const) needs(name, (url) => keepsDigits(name, () => freshDatabase(url)))

/** Digits that a double would round, in JSON of one database and wherever it goes. */
function keepsDigits(name: SampleDatabase, fresh: () => Promise<FreshDatabase>): void {
  let place: Place
  const others: Place[] = []
  beforeAll(async () => {
    place = await open(name, fresh)
    const quoted = digits.replaceAll("'", "''")
    await place.raw.rows(`insert into note (code, data) values ('a', '${quoted}')`)
  })
  afterAll(async () => {
    for (const { served, raw, database } of [place, ...others]) {
      await served.close()
      await raw.close()
      await database.drop()
    }
  })

  async function other(): Promise<Place> {
    const made = await open('sqlite', freshFile)
    others.push(made)
    return made
  }

  it('are texts in answers, and numbers again when they are sent back', async () => {
    expect((await place.served.call('GET', '/Note/1')).json.data).toEqual(shown)
    const changed = { data: { ...shown, more: 1 } }
    expect((await place.served.call('PUT', '/Note/1', { json: changed })).json.data).toEqual(changed.data)
    const stored = await textOf(place)
    for (const number of ['750727362669608961', '9007199254740993', '0.12345678901234567'])
      expect(stored).toMatch(new RegExp(`[:[,] ?${number.replace('.', String.raw`\.`)}[,\\]]`))
    expect(stored).toMatch(/"text": ?"9007199254740993"/)
    await place.served.call('PUT', '/Note/1', { json: { data: shown } })
    expect(plain(await textOf(place))).toBe(plain(digits))
  })

  it('go by dumps of records to another type of database', async () => {
    const { store } = place.served
    let dump = ''
    const application = { name: 'Notes', version: '1' } as never
    await dumpRecords({ model: createModel([Note]), store, application }, async (piece) => void (dump += piece))
    const target = await other()
    await loadRecords({ model: createModel([Note]), store: target.served.store }, Readable.from([Buffer.from(dump)]))
    expect(plain(await textOf(target))).toBe(plain(digits))
  })

  it.each(['json', 'csv', 'xml'] as const)('go by exports as %s', async (format) => {
    const target = await other()
    const content = await text(await exportFile(place.served.service, boss, format, ['Note']))
    expect(plain(content).replaceAll('""', '"')).toContain('"id":750727362669608961')
    const file = join(await makeFolder('digits'), `export.${format}`)
    await writeFile(file, content)
    await importFile(target.served.service, boss, { format, path: file, object: 'Note' })
    expect(plain(await textOf(target))).toBe(plain(digits))
  })
}

async function open(name: SampleDatabase, fresh: () => Promise<FreshDatabase>): Promise<Place> {
  const database = await fresh()
  const served = await serveObjects([Note], patient(database.url))
  return { name, database, served, raw: await openRaw(name, database.url) }
}

async function textOf({ name, raw }: Place): Promise<string> {
  const [row] = await raw.rows(`select ${name === 'postgresql' ? 'data::text' : 'data'} as data from note`)
  return String(row?.['data'])
}

/** Without the blanks and the order that PostgreSQL gives to jsonb. */
function plain(json: string): string {
  return json.replaceAll(/(?<=[:,]) /g, '')
}
