import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RestError } from '../../errors.js'
import type { DocumentStore } from '../documents/document-store.js'

export interface DocumentStoreUnderTest {
  readonly store: DocumentStore
  /** The same documents as another process sees them. Default: not tried. */
  reopen?(): DocumentStore | Promise<DocumentStore>
  dispose?(): void | Promise<void>
}

/**
 * Defines the tests of the `DocumentStore` contract for one store, in a group called `name`.
 *
 * @param open gives a store that is empty.
 *
 * @example
 * testDocumentStore('disk', () => ({ store: createDiskDocumentStore({ folder }) }))
 */
export function testDocumentStore(
  name: string,
  open: () => DocumentStoreUnderTest | Promise<DocumentStoreUnderTest>,
): void {
  describe(name, { timeout: 60_000 }, () => {
    let used: DocumentStoreUnderTest
    let store: DocumentStore
    beforeAll(async () => {
      used = await open()
      store = used.store
    })
    afterAll(() => used?.dispose?.())

    const options = { name: 'notes.txt', path: 'Movie/mov_notes', maxBytes: 1000 }
    const listed = async (): Promise<string[]> => {
      const ids: string[] = []
      for await (const { id } of store.list()) ids.push(id)
      return ids.toSorted()
    }

    test('an empty store lists nothing', async () => {
      expect(await listed()).toEqual([])
    })

    test('put() takes bytes and streams, and read() gives them back', async () => {
      const bytes = randomBytes(300_000)
      for (const content of [bytes, new Uint8Array(bytes), Readable.from([bytes.subarray(0, 7), bytes.subarray(7)])]) {
        const info = await store.put(content, { ...options, name: 'all.bin', maxBytes: bytes.length })
        expect(info).toMatchObject({ name: 'all.bin', size: bytes.length, path: options.path })
        expect(await contentOf(store, info.id)).toEqual(bytes)
      }
    })

    test('put() takes a content of no bytes', async () => {
      const info = await store.put(new Uint8Array(), options)
      expect(info.size).toBe(0)
      expect(await contentOf(store, info.id)).toEqual(Buffer.alloc(0))
    })

    test('ids are unique, and safe in addresses and in fields', async () => {
      const infos = await Promise.all(Array.from({ length: 10 }, () => store.put(Buffer.from('same'), options)))
      expect(new Set(infos.map(({ id }) => id)).size).toBe(10)
      for (const { id } of infos) expect(id).toMatch(/^[A-Za-z0-9._~-]{1,255}$/)
    })

    test('info() returns what put() returned; the media type is given or comes from the name', async () => {
      const byName = await store.put(Buffer.from('x'), options)
      expect(byName).toMatchObject({ name: 'notes.txt', mime: 'text/plain' })
      const given = await store.put(Buffer.from('x'), { ...options, mime: 'application/x-own' })
      expect(given.mime).toBe('application/x-own')
      const unknown = await store.put(Buffer.from('x'), { ...options, name: 'noextension' })
      expect(unknown.mime).toBe('application/octet-stream')
      for (const info of [byName, given, unknown]) expect(await store.info(info.id)).toEqual(info)
    })

    test('names keep their characters and lose their folders', async () => {
      const { id } = await store.put(Buffer.from('x'), { ...options, name: 'Größe "α" 100%;\u{1F600}.txt' })
      expect(await store.info(id)).toMatchObject({ name: 'Größe "α" 100%;\u{1F600}.txt' })
      for (const name of ['../../etc/passwd', 'C:\\secret\\passwd'])
        expect(await store.put(Buffer.from('x'), { ...options, name })).toMatchObject({ name: 'passwd' })
    })

    test('read() gives ranges, both ends included', async () => {
      const { id } = await store.put(Buffer.from('0123456789'), options)
      for (const [start, end] of [
        [0, 0],
        [0, 9],
        [3, 5],
        [9, 9],
      ] as const)
        expect(String(await contentOf(store, id, { start, end }))).toBe('0123456789'.slice(start, end + 1))
    })

    test('a range that reaches beyond the end gives what is there', async () => {
      const { id } = await store.put(Buffer.from('0123456789'), options)
      expect(String(await contentOf(store, id, { start: 8, end: 100 }))).toBe('89')
    })

    test('put() and read() stream contents that are larger than what they hold in memory', async () => {
      const content = Readable.from(largeChunks(), { objectMode: false })
      const { id, size } = await store.put(content, { ...options, name: 'large.bin', maxBytes: largeBytes })
      expect(size).toBe(largeBytes)
      expect(await store.info(id)).toMatchObject({ size })
      expect(await digestOf(await store.read(id))).toBe(await digestOf(Readable.from(largeChunks())))
      // Not where any store would cut it.
      const start = 7 * mebibyte - 11
      const part = await contentOf(store, id, { start, end: start + mebibyte - 1 })
      expect(part.equals(largeBytesFrom(start, mebibyte))).toBe(true)
      // A reader who stops does not disturb others.
      const begun = await store.read(id)
      for await (const chunk of begun) if ((chunk as Uint8Array).length > 0) break
      expect(begun.destroyed).toBe(true)
      await store.delete(id)
      expect(await store.info(id)).toBeUndefined()
    })

    test('put() keeps nothing of a large content that breaks or goes beyond the limit', async () => {
      const before = await listed()
      const cut = async function* () {
        let left = 9
        for (const chunk of largeChunks()) {
          if (left-- === 0) throw new Error('cut late')
          yield await Promise.resolve(chunk)
        }
      }
      const large = { ...options, name: 'large.bin' }
      await expect(store.put(Readable.from(cut()), { ...large, maxBytes: largeBytes })).rejects.toThrow('cut late')
      const beyond = store.put(Readable.from(largeChunks()), { ...large, maxBytes: largeBytes - 1 })
      await expect(beyond).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' })
      expect(await listed()).toEqual(before)
    })

    test('several write, read and delete at once, and none disturbs another', async () => {
      const other = (await used.reopen?.()) ?? store
      const write = async (at: number) => {
        const [own, foreign] = at % 2 === 0 ? [store, other] : [other, store]
        const bytes = Buffer.alloc(20_000 + at, at)
        const { id } = await own.put(Readable.from([bytes]), { ...options, name: `${at}.bin`, maxBytes: 30_000 })
        expect((await contentOf(foreign, id)).equals(bytes)).toBe(true)
        if (at % 3 > 0) return { id, bytes }
        await Promise.all([own.delete(id), foreign.delete(id)])
        expect(await own.info(id)).toBeUndefined()
        return undefined
      }
      const written = await Promise.all(Array.from({ length: 12 }, (_, at) => write(at)))
      const all = await listed()
      for (const one of written) {
        if (!one) continue
        expect(all).toContain(one.id)
        expect((await contentOf(store, one.id)).equals(one.bytes)).toBe(true)
      }
      if (other !== store) await other.close?.()
    })

    test('names that are hostile are kept as names, or not at all', async () => {
      for (const name of ['..', '.', '', '/', '\\..\\..', 'a/..', `${'x'.repeat(254)}\u{1F600}`, 'y'.repeat(5000)]) {
        const { id } = await store.put(Buffer.from('x'), { ...options, name })
        const kept = (await store.info(id))?.name ?? ''
        expect(kept, name).toMatch(/^[^/\\]{1,255}$/)
        expect(['.', '..']).not.toContain(kept)
        expect(() => encodeURIComponent(kept)).not.toThrow()
      }
      for (const name of ['line\r\nX-Own: 1', "'; DROP TABLE x; --", '%2e%2e%2fpasswd', 'nul\0.txt'])
        expect(await store.info((await store.put(Buffer.from('x'), { ...options, name })).id)).toMatchObject({ name })
    })

    test('put() refuses what is larger than the limit, and keeps nothing of it', async () => {
      const before = await listed()
      const large = Readable.from([Buffer.alloc(600), Buffer.alloc(600)])
      await expect(store.put(large, options)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' })
      await expect(store.put(Buffer.alloc(1001), options)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' })
      expect(await listed()).toEqual(before)
    })

    test('put() keeps nothing of a stream that breaks, and says why it broke', async () => {
      const before = await listed()
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('begun')
          throw new Error('cut')
        })(),
      )
      await expect(store.put(broken, options)).rejects.toThrow('cut')
      expect(await listed()).toEqual(before)
    })

    test('ids that are none are of no document', async () => {
      for (const id of ['', '.', '..', '../../etc/passwd', 'a/b', 'a\\b', '%2e%2e', '\0', 'x'.repeat(5000)]) {
        expect(await store.info(id)).toBeUndefined()
        const failure: unknown = await contentOf(store, id).catch((error: unknown) => error)
        expect(RestError.is(failure) && failure.code).toBe('ERR_NOT_FOUND')
        await store.delete(id)
      }
    })

    test('delete() removes it, and a second one does nothing', async () => {
      const { id } = await store.put(Buffer.from('x'), options)
      const other = await store.put(Buffer.from('y'), options)
      await store.delete(id)
      await store.delete(id)
      expect(await store.info(id)).toBeUndefined()
      await expect(contentOf(store, id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
      expect(await listed()).not.toContain(id)
      expect(String(await contentOf(store, other.id))).toBe('y')
    })

    test('list() returns each document once, and when it was stored', async () => {
      const before = Date.now()
      const { id } = await store.put(Buffer.from('x'), options)
      const found: { id: string; storedAt: number }[] = []
      for await (const document of store.list()) found.push(document)
      expect(found.filter((document) => document.id === id)).toHaveLength(1)
      expect(new Set(found.map((document) => document.id)).size).toBe(found.length)
      // Stores have clocks of their own.
      const { storedAt } = found.find((document) => document.id === id) as { storedAt: number }
      expect(Math.abs(storedAt - before)).toBeLessThan(10 * 60_000)
    })

    test('thumbnail() of what is not a picture is none, and of nothing is an error', async () => {
      const { id } = await store.put(Buffer.from('no picture'), options)
      expect(await store.thumbnail(id, 20)).toBeUndefined()
      await store.delete(id)
      await expect(store.thumbnail(id, 20)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    })

    test('thumbnail() of a picture is WebP, the same each time', async () => {
      const { id } = await store.put(picture, { ...options, name: 'dot.png' })
      const made = await store.thumbnail(id, 20)
      expect(String(Buffer.from(made ?? []).subarray(8, 12))).toBe('WEBP')
      expect(await store.thumbnail(id, 20)).toEqual(made)
    })

    test('another process sees the same documents', async (context) => {
      if (!used.reopen) return context.skip('no second view of this store is given')
      const { id } = await store.put(Buffer.from('shared'), options)
      const other = await used.reopen()
      expect(await other.info(id)).toEqual(await store.info(id))
      expect(String(await contentOf(other, id))).toBe('shared')
      await other.delete(id)
      expect(await store.info(id)).toBeUndefined()
    })
  })
}

const mebibyte = 1 << 20
const largeBytes = 18 * mebibyte + 5

/** Bytes that show where they are. */
function largeBytesFrom(start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; at++) bytes[at] = ((start + at) * 31 + ((start + at) >> 12)) & 255
  return bytes
}

function* largeChunks(): Generator<Buffer> {
  for (let at = 0; at < largeBytes; at += mebibyte) yield largeBytesFrom(at, Math.min(mebibyte, largeBytes - at))
}

async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

async function contentOf(
  store: DocumentStore,
  id: string,
  range?: { readonly start: number; readonly end: number },
): Promise<Buffer> {
  return Buffer.concat(await (await store.read(id, range)).toArray())
}
