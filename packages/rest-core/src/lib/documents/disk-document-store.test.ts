import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDiskDocumentStore } from './disk-document-store.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-documents-'))
})
afterEach(() => rm(folder, { recursive: true }))

const options = { name: 'notes.txt', path: 'Movie/mov_notes', maxBytes: 1000 }

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function readAll(stream: Readable): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString('utf8')
}

test('put() gives the content back with what is known of it', async () => {
  const documents = createDiskDocumentStore({ folder })
  const info = await documents.put(Readable.from([Buffer.from('one '), Buffer.from('two')]), options)
  expect(info).toMatchObject({ name: 'notes.txt', mime: 'text/plain', size: 7, path: 'Movie/mov_notes' })
  expect(await documents.info(info.id)).toEqual(info)
  expect(await readAll(await documents.read(info.id))).toBe('one two')
})

test('put() keeps no folder of a given name', async () => {
  const documents = createDiskDocumentStore({ folder })
  for (const name of ['../../etc/passwd', 'C:\\secret\\passwd']) {
    expect(await documents.put(Buffer.from('x'), { ...options, name })).toMatchObject({ name: 'passwd' })
  }
})

test('put() refuses a content beyond the limit and keeps nothing of it', async () => {
  const documents = createDiskDocumentStore({ folder })
  const large = Readable.from([Buffer.alloc(600), Buffer.alloc(600)])
  await expect(documents.put(large, options)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' })
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
})

test('put() keeps nothing of a stream that breaks', async () => {
  const documents = createDiskDocumentStore({ folder })
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('begun')
      throw new Error('cut')
    })(),
  )
  await expect(documents.put(broken, options)).rejects.toThrow('cut')
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
})

test('an id that is not one is never a path', async () => {
  const documents = createDiskDocumentStore({ folder })
  expect(await documents.info('../../etc/passwd')).toBeUndefined()
  await expect(documents.read('..')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await documents.delete('..')
  expect(await readdir(folder)).toEqual([])
})

test('delete() removes content and thumbnails, and may be called twice', async () => {
  const documents = createDiskDocumentStore({ folder })
  const { id } = await documents.put(Buffer.from('x'), options)
  await documents.delete(id)
  await documents.delete(id)
  expect(await documents.info(id)).toBeUndefined()
})

test('thumbnail() shrinks a picture, keeps its proportions and is kept', async () => {
  const documents = createDiskDocumentStore({ folder })
  const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const { id } = await documents.put(picture, { ...options, name: 'red.png', maxBytes: 100_000 })
  const small = (await documents.thumbnail(id, 100)) as Uint8Array
  expect(await sharp(small).metadata()).toMatchObject({ width: 100, height: 50, format: 'webp' })
  expect(Buffer.compare((await documents.thumbnail(id, 100)) as Uint8Array, small)).toBe(0)
  expect(await readdir(join(folder, id.slice(0, 2), id))).toContain('thumbnail-100.webp')
})

test('thumbnail() of what only claims to be a picture is undefined', async () => {
  const documents = createDiskDocumentStore({ folder })
  const { id } = await documents.put(Buffer.from('no picture'), { ...options, name: 'broken.png' })
  expect(await documents.thumbnail(id, 100)).toBeUndefined()
  const { id: text } = await documents.put(Buffer.from('text'), options)
  expect(await documents.thumbnail(text, 100)).toBeUndefined()
})

test('read() gives a part of the content', async () => {
  const documents = createDiskDocumentStore({ folder })
  const { id } = await documents.put(Buffer.from('0123456789'), options)
  expect(await readAll(await documents.read(id, { start: 2, end: 4 }))).toBe('234')
})

test('list() gives documents and uploads that have not ended, and delete() removes both', async () => {
  const documents = createDiskDocumentStore({ folder: join(folder, 'not yet there') })
  expect(await collect(documents.list())).toEqual([])
  const before = Date.now() - 1000
  const { id } = await documents.put(Buffer.from('x'), options)
  const draft = '00000000-0000-4000-8000-000000000000'
  await mkdir(join(folder, 'not yet there/incoming', draft), { recursive: true })
  await writeFile(join(folder, 'not yet there/incoming/notes.txt'), 'of somebody else')
  const found = await collect(documents.list())
  expect(found.map((each) => each.id).toSorted()).toEqual([draft, id].toSorted())
  expect(found.every(({ storedAt }) => storedAt > before)).toBe(true)
  for (const each of found) await documents.delete(each.id)
  expect(await collect(documents.list())).toEqual([])
})
