import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forgedFile, forgedHeader, withMore } from '../../testing/forged-archive.js'
import { storeFolder } from './store-folder.js'
import { readCompressed } from './store.js'

describe('a large file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-store-'))
  const source = join(folder, 'source')
  const file = join(folder, 'files.tar.zst')
  const measures = (content: Buffer) => ({
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  })

  async function store() {
    return storeFolder({ folder: source, entries: ['data'] }, await open(file, 'wx', 0o600))
  }

  beforeAll(() => {
    mkdirSync(join(source, 'data'), { recursive: true })
    for (const name of ['a', 'größe ☃', 'long'.repeat(50)])
      writeFileSync(join(source, 'data', name), name === 'a' ? randomBytes(5_000_000) : Buffer.alloc(1_000_000, name))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('is read while it is written, and every entry is looked at', async () => {
    const storing = store()
    const end = storing.then(() => undefined)
    await expect.poll(() => open(file).then((handle) => handle.close())).toBeUndefined()
    const found = await readCompressed(file, { tar: {}, end })
    const plain = execFileSync('zstd', ['-dc', file], { maxBuffer: 2 ** 28 })
    const { size: plainSize, sha256: plainSha256 } = measures(plain)
    expect(found).toEqual({ ...measures(readFileSync(file)), plainSize, plainSha256, entries: 4 })
    expect(await storing).toEqual({
      measures: { exitCodes: { tar: 0, zstd: 0 } },
      warnings: [],
    })
  })

  it('is refused when it was changed, or something was added', async () => {
    const whole = readFileSync(file)
    for (const at of [0.1, 0.9999]) {
      const changed = Buffer.from(whole)
      const place = Math.floor(changed.length * at)
      changed[place] = (changed[place] as number) ^ 1
      writeFileSync(file, changed)
      await expect(readCompressed(file)).rejects.toThrow(/zstd ended with/)
    }
    writeFileSync(file, whole.subarray(0, -100_000))
    await expect(readCompressed(file, { tar: {} })).rejects.toThrow(/zstd ended with/)
    writeFileSync(file, whole)
    appendFileSync(file, 'more')
    await expect(readCompressed(file)).rejects.toThrow(/zstd ended with/)
  })

  it('is neither written nor read any more when that is cut off', async () => {
    const stop = new AbortController()
    const { signal } = stop
    const large = join(folder, 'large')
    writeFileSync(large, '')
    truncateSync(large, 2 ** 30)
    const part = join(folder, 'part')
    const handle = await open(part, 'wx', 0o600)
    const onBytes = () => stop.abort(new Error('enough'))
    const end = storeFolder({ folder, entries: ['large'] }, handle, { signal, onBytes }).then(
      ({ measures }) => measures,
    )
    const ended = await Promise.allSettled([readCompressed(part, { signal, end }), end])
    for (const each of ended) expect(each).toMatchObject({ reason: { message: 'enough' } })
    await expect(handle.stat()).rejects.toThrow('closed')
  })

  it('is unpacked as it is read, up to what is refused, of which nothing comes there', async () => {
    const into = { folder: join(folder, 'into') }
    mkdirSync(into.folder)
    rmSync(file)
    await store()
    await readCompressed(file, { tar: { tops: ['data'] }, into })
    for (const name of readdirSync(join(source, 'data')))
      expect(readFileSync(join(into.folder, 'data', name)).equals(readFileSync(join(source, 'data', name)))).toBe(true)
    rmSync(into.folder, { recursive: true })
    mkdirSync(into.folder)
    const tar = execFileSync('zstd', ['-dc', file], { maxBuffer: 2 ** 28 })
    const link = forgedHeader({ name: 'data/out', type: '2', linkname: '../..' })
    const forged = join(folder, 'forged.tar.zst')
    writeFileSync(forged, zstdCompressSync(withMore(tar, [link, ...forgedFile({ name: 'data/out/escaped' }, 'x')])))
    await expect(readCompressed(forged, { tar: { tops: ['data'] }, into })).rejects.toMatchObject({
      code: 'ERR_BACKUP',
      message: expect.stringContaining('"data/out" is a link that leads out'),
    })
    expect(readdirSync(join(into.folder, 'data'))).not.toContain('out')
    expect(readdirSync(folder)).not.toContain('escaped')
  })

  it.each([10, 200_000])('of a dump with %d rows is refused at what its client would do itself', async (rows) => {
    const dump = join(folder, 'db.postgresql.zst')
    const text = `copy t from stdin;\n${`${randomBytes(16).toString('hex')}\n`.repeat(rows)}\\.\n`
    writeFileSync(dump, zstdCompressSync(text))
    expect(await readCompressed(dump, { dump: 'postgresql' })).toMatchObject({ plainSize: text.length })
    writeFileSync(dump, zstdCompressSync(`${text}\\! id\n`))
    await expect(readCompressed(dump, { dump: 'postgresql' })).rejects.toMatchObject({
      code: 'ERR_BACKUP',
      message: expect.stringContaining(`a command of psql in line ${rows + 3}`),
      help: expect.stringContaining('that line'),
    })
    await readCompressed(dump)
  })

  it('gives the reason of who writes it, of whom ends it, and of whom looks at it', async () => {
    rmSync(file)
    symlinkSync('/etc', join(source, 'data', 'outside'))
    await store()
    await expect(readCompressed(file, { tar: {} })).rejects.toThrow('"data/outside" is a link')
    await expect(readCompressed(file, { end: Promise.reject(new Error('full')) })).rejects.toThrow('full')
    await expect(readCompressed(file, { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
    const random = join(folder, 'random.zst')
    execFileSync('zstd', ['-q', join(source, 'data', 'a'), '-o', random])
    await expect(readCompressed(random, { tar: {} })).rejects.toThrow('a header has a checksum')
  })
})
