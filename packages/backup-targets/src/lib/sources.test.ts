import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readAll } from './checks/expect.js'
import { bytesSource, fileSource, readSource, streamSource } from './sources.js'
import { wholeStream } from './whole-stream.js'

const text = async (stream: Readable) => (await readAll(stream)).toString()
const chunks = (...parts: string[]) =>
  Readable.from(
    parts.map((part) => Buffer.from(part)),
    { objectMode: false },
  )
const stuck = () => new Readable({ read() {} })

describe('readSource()', () => {
  it('gives the bytes from a place on', async () => {
    expect(await text(readSource(bytesSource('abcdef'), { start: 2 }))).toBe('cdef')
    expect(await text(readSource(bytesSource('')))).toBe('')
    expect(await text(readSource({ open: () => Promise.resolve(chunks('a', 'bc')) }))).toBe('abc')
    const folder = mkdtempSync(join(tmpdir(), 'steward-source-'))
    writeFileSync(join(folder, 'a'), 'abcdef')
    expect(await text(readSource(fileSource(join(folder, 'a'), 6), { start: 4 }))).toBe('ef')
    await expect(text(readSource(fileSource(join(folder, 'b'), 6)))).rejects.toThrow('ENOENT')
    rmSync(folder, { recursive: true })
  })

  it('fails when there are fewer or more bytes than promised, and holds the last ones back until then', async () => {
    const sized = (size: number) => ({ size, open: () => chunks('abc', 'def', 'ghi') })
    expect(await text(readSource(sized(9)))).toBe('abcdefghi')
    await expect(text(readSource(sized(10)))).rejects.toMatchObject({ code: 'ERR_TARGET_FAILED', transient: false })
    let seen = ''
    const read = async () => {
      for await (const chunk of readSource(sized(6))) seen += String(chunk)
    }
    await expect(read()).rejects.toThrow('at least 9 bytes instead of 6')
    expect(['', 'abc']).toContain(seen)
  })

  it('fails with what the source says, and when it just stops', async () => {
    const refusing = { size: 3, open: () => Promise.reject(new Error('No such row')) }
    await expect(text(readSource(refusing))).rejects.toThrow('Cannot read what is to be stored: No such row')
    const broken = chunks('abc')
    broken.destroy()
    await expect(text(readSource({ open: () => broken }))).rejects.toThrow('it ended early')
  })

  it('hears the signal, also when the source is stuck, and destroys it', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const stream = stuck()
    const read = text(readSource({ open: () => stream }, { signal: controller.signal }))
    setTimeout(() => controller.abort(reason), 10)
    await expect(read).rejects.toBe(reason)
    expect(stream.destroyed).toBe(true)
    await expect(text(readSource(bytesSource('a'), { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
  })

  it('reads a stream once', async () => {
    const source = streamSource(chunks('abc'))
    expect(await text(readSource(source))).toBe('abc')
    await expect(text(readSource(source))).rejects.toThrow('cannot be read again')
    await expect(text(readSource(streamSource(chunks('abc')), { start: 1 }))).rejects.toThrow('cannot be read again')
  })
})

describe('wholeStream()', () => {
  const options = { key: 'a', bytes: 6 }

  it('gives what came when it is all', async () => {
    expect(await text(wholeStream(chunks('abc', 'def'), options))).toBe('abcdef')
  })

  it('fails when less or more came', async () => {
    const damaged = { code: 'ERR_TARGET_DAMAGED', transient: true }
    await expect(text(wholeStream(chunks('abc'), options))).rejects.toMatchObject(damaged)
    await expect(text(wholeStream(chunks('abcd', 'efg'), options))).rejects.toMatchObject(damaged)
  })

  it('fails when the connection is cut or closed', async () => {
    const cut = stuck()
    const read = text(wholeStream(cut, options))
    cut.push('abc')
    cut.destroy(new Error('ECONNRESET'))
    await expect(read).rejects.toMatchObject({
      code: 'ERR_TARGET_UNREACHABLE',
      message: 'Reading "a" was cut: ECONNRESET',
    })
    const closed = stuck()
    const other = text(wholeStream(closed, options))
    closed.destroy()
    await expect(other).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
  })

  it('destroys the other stream when it is destroyed or aborted', async () => {
    const [one, two] = [stuck(), stuck()]
    wholeStream(one, options).destroy()
    await expect.poll(() => one.destroyed).toBe(true)
    const reason = new Error('enough')
    await expect(text(wholeStream(two, { ...options, signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
    expect(two.destroyed).toBe(true)
  })
})
