/** @module-tag mixed */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { createStore } from '@steward/db-adapters'
import { createBusinessObjects, createDiskDocumentStore, createModel, defineObject } from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { expect, onTestFinished, test } from 'vitest'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { onEachDatabase } from '../../../../../tests/databases.js'
import { allOf, boss, temporaryFolder } from './exchange-for-test.js'
import { importFile } from './import-file.js'
import type { FileFormat } from './write-file.js'
import { exportFile } from './write-file.js'

useCheapPasswords()

const codes = ['red', 'dark red', 'é', 'a,b', 'a"b']

/** Every field type. */
const Item = defineObject({
  name: 'Item',
  fields: {
    itm_code: { type: 'string', key: true },
    itm_text: { type: 'text' },
    itm_integer: { type: 'integer', precision: 18 },
    itm_decimal: { type: 'decimal', precision: 38, scale: 10 },
    itm_boolean: { type: 'boolean', default: true },
    itm_date: { type: 'date', default: '[DATE]' },
    itm_datetime: { type: 'datetime' },
    itm_time: { type: 'time' },
    itm_enum: { type: 'enum', values: codes },
    itm_list: { type: 'multi-enum', values: codes },
    itm_password: { type: 'password' },
    itm_url: { type: 'url' },
    itm_email: { type: 'email' },
    itm_phone: { type: 'phone' },
    itm_color: { type: 'color' },
    itm_html: { type: 'html' },
    itm_regexp: { type: 'regexp' },
    itm_document: { type: 'document' },
    itm_image: { type: 'image' },
    itm_place: { type: 'geocoords' },
    itm_object: { type: 'object' },
    itm_next_id: { type: 'reference', object: 'Item' },
    itm_part_id: { type: 'reference', object: 'Part' },
    itm_user_id: { type: 'reference', object: 'User' },
  },
})

/** Its key goes through a reference. */
const Part = defineObject({
  name: 'Part',
  fields: {
    prt_item_id: { type: 'reference', object: 'Item', key: true },
    prt_day: { type: 'date', key: true },
    prt_name: { type: 'string' },
  },
})

const content = Buffer.from([0, 255, 10, 13, 60, 38])
const document = { name: 'Ünïcode & "q"/x.bin', mime: 'application/x-own', content: content.toString('base64') }

const items: readonly Record<string, unknown>[] = [
  {
    itm_code: '=1+1,"x";\'',
    itm_text: 'line\nbreak\r\n\ttab ü😀 ]]> &amp; <b> \u0001\u001f\uffff\ufeff',
    itm_integer: '9007199254740993',
    itm_decimal: '1234567890123456789012345678.0123456789',
    itm_boolean: false,
    itm_date: '0001-01-01',
    itm_datetime: '2024-03-31 02:30:00',
    itm_time: '23:59:59',
    itm_enum: 'a,b',
    itm_list: ['dark red', 'é', 'a,b', 'a"b'],
    itm_password: 'top secret',
    itm_url: 'https://example.org/?a=b&c=%20#d',
    itm_email: "o'hara@example.org",
    itm_phone: '+33 (0)1 23-45',
    itm_color: '#ff8800',
    itm_html: '<p class="a">1 &lt; 2</p>\n',
    itm_regexp: '^[a-z]+\\d{2,}$',
    itm_document: document,
    itm_image: { name: 'a.png', content: 'iVBORw0KGgo=' },
    itm_place: '48.8566;2.3522',
    itm_object: { a: [1, null, 'x', { 'ключ "1"': '😀\n' }], n: 0.1 },
  },
  { itm_code: ' blanks around ', itm_object: 'text', itm_integer: '-9007199254740993', itm_decimal: -12.5 },
  { itm_code: '\r.', itm_text: '', itm_boolean: true, itm_date: '', itm_object: [], itm_list: [], itm_decimal: 0 },
]

onEachDatabase((fresh, database) => {
  const tags = database === 'sqlite' ? ['core' as const] : []
  // What a format can hold is the same for every database.
  const formats = database === 'sqlite' ? (['xml', 'json', 'zip'] as const) : (['zip'] as const)

  test.for(formats)(
    '%s gives the same records in an empty application, and changes nothing when it is refused',
    { tags },
    async (format) => {
      const source = await open()
      await fill(source)
      const target = await open()
      const report = await transfer(format, source, target)
      const none = { created: 0, updated: 0, deleted: 0, unchanged: 0 }
      const counts = { User: { ...none, created: 1 }, Part: { ...none, created: 1 }, Item: { ...none, created: 3 } }
      expect(report).toEqual(counts)
      expect(await everything(target)).toEqual(await everything(source))
      expect(await documents(target)).toEqual(await documents(source))
      const again = { Part: { ...none, unchanged: 1 }, Item: { ...none, unchanged: 3 } }
      expect(await transfer(format, source, target)).toMatchObject(again)

      const before = await everything(target)
      const user = await source.create(boss, 'User', { usr_login: 'bob', usr_password: 'his own one' })
      await source.update(boss, 'Item', '1', { itm_text: 'changed' })
      await source.update(boss, 'Item', '2', { itm_user_id: user.row_id })
      // The user is not in the file.
      await expect(transfer(format, source, target, ['Item', 'Part'])).rejects.toThrow(
        /(line|record) \d+: Item: Field "itm_user_id": there is no User with usr_login "bob"\.$/,
      )
      expect(await everything(target)).toEqual(before)
    },
  )

  async function open(): Promise<BusinessObjects> {
    const database = await fresh()
    const store = await createStore(database.url)
    onTestFinished(async () => {
      await store.close()
      await database.drop()
    })
    const model = createModel([...systemObjects, Part, Item])
    await store.sync(model)
    const folder = await temporaryFolder()
    return createBusinessObjects({ model, store, documents: createDiskDocumentStore({ folder }) })
  }
})

async function fill(service: BusinessObjects): Promise<void> {
  const user = await service.create(boss, 'User', { usr_login: 'ann', usr_password: 'hers alone' })
  const ids: string[] = []
  for (const values of items) ids.push((await service.create(boss, 'Item', values)).row_id)
  const [one = '', two = ''] = ids
  const part = await service.create(boss, 'Part', { prt_item_id: two, prt_day: '2024-02-29', prt_name: 'p' })
  await service.update(boss, 'Item', one, { itm_next_id: two, itm_part_id: part.row_id, itm_user_id: user.row_id })
}

async function transfer(
  format: FileFormat,
  source: BusinessObjects,
  target: BusinessObjects,
  names: readonly string[] = ['User', 'Part', 'Item'],
) {
  const path = join(await temporaryFolder(), `export.${format}`)
  await pipeline(await exportFile(source, boss, format, names), createWriteStream(path))
  return importFile(target, boss, { format, path })
}

/** All records; row ids are the same, because records are created in the same order. */
async function everything(service: BusinessObjects) {
  const withoutIds = (record: Record<string, unknown>) => ({ ...record, itm_document: '', itm_image: '' })
  return { Item: (await allOf(service, 'Item')).map(withoutIds), Part: await allOf(service, 'Part') }
}

async function documents(service: BusinessObjects) {
  const { itm_document: file, itm_image: image } = await service.get(boss, 'Item', '1', { inlineDocuments: true })
  return [file, image].map((stored) => ({ ...(stored as object), id: '' }))
}

test(
  'CSV holds one object, without documents and passwords, filtered, with the times when asked for',
  { tags: 'core' },
  async () => {
    const store = await createStore('sqlite::memory:')
    onTestFinished(() => store.close())
    const model = createModel([...systemObjects, Part, Item])
    await store.sync(model)
    const folder = await temporaryFolder()
    const service = createBusinessObjects({
      model,
      store,
      documents: createDiskDocumentStore({ folder }),
      clock: () => new Date('2026-05-06T12:00:00Z'),
    })
    await fill(service)
    expect(await text(await exportFile(service, boss, 'csv', ['Part'], { timestamps: true }))).toBe(
      'prt_item_id.itm_code,prt_day,prt_name,created_dt,created_by,updated_dt,updated_by\r\n' +
        '" blanks around ",2024-02-29,p,2026-05-06 12:00:00,io,2026-05-06 12:00:00,io\r\n',
    )
    const csv = await text(await exportFile(service, boss, 'csv', ['Item'], { filters: { itm_code: '*1+1*' } }))
    expect(csv.split('\r\n')[0]).not.toMatch(/document|image|password/)
    expect(csv).toContain('"=1+1,""x"";\'",')
    const users = await text(await exportFile(service, boss, 'json', ['User']))
    expect(users).toContain('"usr_login":"ann"')
    expect(users).not.toMatch(/password|scrypt/)
    await expect(exportFile(service, boss, 'csv', ['Item', 'Part'])).rejects.toThrow('Name one object')
    await expect(exportFile(service, boss, 'csv', ['Item'], { filters: { nothing: 'x' } })).rejects.toThrow('nothing')
    await expect(exportFile(service, boss, 'xml', ['Nothing'])).rejects.toThrow('does not exist')
    await expect(exportFile(service, boss, 'json', [])).rejects.toThrow('Name an object')
  },
)
