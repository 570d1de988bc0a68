import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createStore } from '@steward/db-adapters'
import { createBusinessObjects, createModel, defineObject, dumpRecords, loadRecords } from '@steward/rest-core'
import type { BusinessObjects, ObjectStore } from '@steward/rest-core'
import { expect, onTestFinished, test } from 'vitest'
import { boss, temporaryFolder } from './exchange-for-test.js'
import { importFile } from './import-file.js'
import type { ImportAction } from './import-record.js'
import type { FileFormat } from './write-file.js'
import { exportFile } from './write-file.js'

const Cart = defineObject({ name: 'Cart', fields: { car_code: { type: 'string', length: 20, key: true } } })

/** Its row id holds a reference, and it refers to itself. */
const Line = defineObject({
  name: 'Line',
  fields: {
    row_id: { type: 'id', fields: ['lin_cart', 'lin_code'] },
    lin_cart: { type: 'reference', object: 'Cart' },
    lin_code: { type: 'string', length: 20 },
    lin_text: { type: 'string' },
    lin_next_code: { type: 'string', length: 20 },
    lin_next: { type: 'reference', object: 'Line', via: ['lin_cart', 'lin_next_code'] },
  },
})

const Remark = defineObject({
  name: 'Remark',
  fields: {
    rem_no: { type: 'integer', key: true },
    rem_cart: { type: 'reference', object: 'Cart' },
    rem_code: { type: 'string', length: 20 },
    rem_line: { type: 'reference', object: 'Line', via: ['rem_cart', 'rem_code'] },
  },
})

const names = ['Remark', 'Line', 'Cart']
const model = createModel([Remark, Line, Cart])
const codes = ['a', 'a~b', '..', 'a/b,"c";\'', 'é 𝄞', '1']

interface Opened {
  readonly service: BusinessObjects
  readonly store: ObjectStore
}

async function open(): Promise<Opened> {
  const store = await createStore('sqlite::memory:')
  onTestFinished(() => store.close())
  await store.sync(model)
  return { service: createBusinessObjects({ model, store }), store }
}

/** A cart, lines that lead to the one created before or after, and a remark to each. */
async function fill({ service }: Opened): Promise<void> {
  // Row ids of carts are others than where they go to.
  const { row_id: gone } = await service.create(boss, 'Cart', { car_code: 'gone' })
  await service.delete(boss, 'Cart', gone)
  const { row_id: cart } = await service.create(boss, 'Cart', { car_code: 'x,~"' })
  const ids: string[] = []
  for (const lin_code of codes)
    ids.push((await service.create(boss, 'Line', { lin_cart: cart, lin_code, lin_text: `text of ${lin_code}` })).row_id)
  for (const [at, id] of ids.entries()) await service.update(boss, 'Line', id, { lin_next_code: codes[at + 1] ?? '' })
  for (const [at, id] of ids.entries()) await service.create(boss, 'Remark', { rem_no: at, rem_line: id })
}

/** Records of every object, with the code of the cart in place of its row id, whichever that is. */
async function everything({ service }: Opened): Promise<unknown> {
  const lists: Record<string, unknown[]> = {}
  for (const [name, fields] of [
    ['Cart', ['car_code']],
    ['Line', ['lin_code', 'lin_text', 'lin_next_code', 'lin_cart__car_code', 'lin_next__lin_text']],
    ['Remark', ['rem_no', 'rem_code', 'rem_cart__car_code', 'rem_line__lin_text']],
  ] as const) {
    const list: unknown[] = (lists[name] = [])
    for await (const batch of await service.search(boss, name, { fields: [...fields] }))
      for (const { row_id: _, ...values } of batch) list.push(JSON.stringify(values))
    list.sort()
  }
  return lists
}

test.for(['xml', 'json', 'zip'] as const)('%s holds keys of several fields and references to them', async (format) => {
  const source = await open()
  await fill(source)
  const target = await open()
  const transfer = async (from: Opened, to: Opened, format: FileFormat) => {
    const path = join(await temporaryFolder(), `export.${format}`)
    await pipeline(await exportFile(from.service, boss, format, names), createWriteStream(path))
    return importFile(to.service, boss, { format, path })
  }
  const none = { created: 0, updated: 0, deleted: 0, unchanged: 0 }
  expect(await transfer(source, target, format)).toEqual({
    Cart: { ...none, created: 1 },
    Line: { ...none, created: 6 },
    Remark: { ...none, created: 6 },
  })
  expect(await everything(target)).toEqual(await everything(source))
  expect(await transfer(source, target, format)).toEqual({
    Cart: { ...none, unchanged: 1 },
    Line: { ...none, unchanged: 6 },
    Remark: { ...none, unchanged: 6 },
  })

  // One of the fields that make the reference stays.
  const byNumber = async ({ service }: Opened, rem_no: number) => {
    for await (const [record] of await service.search(boss, 'Remark', { filters: { rem_no: `${rem_no}` } }))
      if (record) return record
    throw new Error(`There is no remark ${rem_no}.`)
  }
  await source.service.update(boss, 'Remark', (await byNumber(source, 1)).row_id, { rem_code: '' })
  expect(await byNumber(source, 1)).toMatchObject({ rem_line: '', rem_cart: '2' })
  expect(await transfer(source, target, format)).toMatchObject({ Remark: { ...none, unchanged: 5, updated: 1 } })
  expect(await everything(target)).toEqual(await everything(source))
})

test('CSV gives the fields of a key, by which records are found', async () => {
  const source = await open()
  await fill(source)
  const exported = async () =>
    text(await exportFile(source.service, boss, 'csv', ['Remark'], { filters: { rem_no: '1' } }))
  const header = 'rem_no,rem_cart.car_code,rem_code,rem_line.lin_cart.car_code,rem_line.lin_code'
  expect(await exported()).toBe(`${header}\r\n1,"x,~""",a~b,"x,~""",a~b\r\n`)

  const path = join(await temporaryFolder(), 'file.csv')
  const load = async (object: string, csv: string, action?: ImportAction) => {
    await writeFile(path, csv)
    return importFile(source.service, boss, { format: 'csv', path, object, action })
  }
  const none = { created: 0, updated: 0, deleted: 0, unchanged: 0 }
  const report = await load('Remark', `${header}\r\n1,"x,~""",..,"x,~""",..\r\n7,"x,~""",a~b,"x,~""",a~b\r\n`)
  expect(report).toEqual({ Remark: { ...none, created: 1, updated: 1 } })
  expect(await exported()).toBe(`${header}\r\n1,"x,~""",..,"x,~""",..\r\n`)
  await expect(load('Remark', `${header}\r\n1,"x,~""",..,"x,~""",none\r\n`)).rejects.toThrow(
    'there is no Line with lin_cart.car_code "x,~"", lin_code "none"',
  )
  await expect(load('Remark', `${header}\r\n8,"x,~""",..,"x,~""",a\r\n`)).rejects.toThrow('rem_code')

  const key = 'lin_cart.car_code,lin_code'
  expect(await load('Line', `${key},lin_text\r\n"x,~""",a~b,changed\r\n`, 'update')).toEqual({
    Line: { ...none, updated: 1 },
  })
  await expect(load('Line', `${key}\r\n"x,~""",a~b\r\n`, 'delete')).rejects.toThrow(/refer/)
  await load('Remark', 'rem_no\r\n7\r\n', 'delete')
  await source.service.update(boss, 'Line', '2~a', { lin_next_code: '' })
  expect(await load('Line', `${key}\r\n"x,~""",a~b\r\n`, 'delete')).toEqual({ Line: { ...none, deleted: 1 } })
})

test('a dump of records holds keys of several fields and references to them', async () => {
  const source = await open()
  await fill(source)
  const target = await open()
  const dump = async ({ store }: Opened) => {
    let dumped = ''
    const options = { model, store, application: { name: 'carts', version: '1' }, clock: () => new Date(0) }
    await dumpRecords(options, async (more) => void (dumped += more))
    return dumped
  }
  const dumped = await dump(source)
  async function* bytes() {
    yield Buffer.from(dumped)
  }
  expect(await loadRecords({ model, store: target.store }, bytes())).toEqual({ Cart: 1, Line: 6, Remark: 6 })
  expect(await dump(target)).toBe(dumped)
  expect(await everything(target)).toEqual(await everything(source))
})
