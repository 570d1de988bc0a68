import { constants } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { foreignFlags } from '../files/foreign.js'
import type { LogOptions } from './runtime.js'

/** How often it is looked at for more, in ms. */
const pollMs = 200
const chunkBytes = 65_536
/** A longer line is given in pieces, so that nobody's memory is filled by it. */
const maxLineLength = 1_000_000
/** Of the end of a file no more is read for its last lines. */
const maxTailBytes = 50_000_000
/** More lines are not searched for those that are wanted. */
const mostSearched = 100_000
const lineBreak = 10
/** Logs that begin with so many equal bytes are the same one. */
const comparedBytes = 4096
/** So often it is waited for copies that get new numbers. */
const mostLooks = 20

/**
 * Last lines of a log that is rotated by copying (`<file>.1` is the newest copy) and truncating, then what is written
 * to it from then on. A log that is not there is an empty one.
 *
 * @param owner user id that the files must have, see `readForeignFile`; others count as not there. Default: anybody's.
 */
export async function* followLog(
  file: string,
  { lines = 100, follow = false, filter, signal }: LogOptions = {},
  owner?: number,
): AsyncIterable<string> {
  let { copies, size: position } = await lookAt(file)
  const seen = new Set(copies)
  const found = { lines, filter, copies: copies.length, owner }
  const { last, splitter, wanted } = await lastWanted(file, position, found)
  yield* last
  /** Bytes of the newest copy that the log still begins with: it is cut after it was copied. */
  let uncut = 0
  for (let more = follow; more; more = await wait(pollMs, signal)) {
    copies = await copiesOf(file)
    // Copies that were made since the last look: the oldest of them goes on where we were.
    const known = copies.findIndex((copy) => seen.has(copy))
    for (let number = known === -1 ? copies.length : known; number > 0; number--) {
      for await (const chunk of readFrom(`${file}.${number}`, { from: position, owner })) {
        position += chunk.length
        yield* splitter.lines(chunk).filter(wanted)
      }
      seen.add(copies[number - 1] as string)
      uncut = position
      if (number > 1) position = 0
    }
    if (uncut > 0 && !(await beginsAs(file, `${file}.1`, uncut))) position = uncut = 0
    const size = await sizeOf(file)
    if (size < position) position = 0
    for await (const chunk of readFrom(file, { from: position, to: size, owner })) {
      // What was read after it was copied may be of the next one, which begins at 0.
      if ((await copiesOf(file))[0] !== copies[0]) break
      position += chunk.length
      yield* splitter.lines(chunk).filter(wanted)
    }
  }
  yield* splitter.rest().filter(wanted)
}

/** Reads further and further back until there are enough. A last line without an end stays in the splitter. */
async function lastWanted(
  file: string,
  position: number,
  { lines, filter, copies, owner }: Pick<LogOptions, 'filter'> & Omit<Wanted, 'size'>,
) {
  for (let read = filter ? lines * 2 : lines; ; read *= 4) {
    const splitter = createSplitter()
    const wanted = filter?.() ?? (() => true)
    const all = splitter.lines(await lastLines(file, { size: position, lines: read, copies, owner }))
    const last = all.filter(wanted)
    if (!filter || last.length >= lines || all.length + 1 < read || read >= mostSearched)
      return { last: last.slice(Math.max(0, last.length - lines)), splitter, wanted }
  }
}

/** @returns false when it was aborted. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false)
}

/** Copies and size as they are at one moment. Without the first copy the others are just given their new numbers. */
async function lookAt(file: string): Promise<{ readonly copies: readonly string[]; readonly size: number }> {
  for (let tries = 1; ; tries++) {
    const copies = await copiesOf(file)
    const size = await sizeOf(file)
    const isWhole = copies.length > 0 || tries > mostLooks || (await identityOf(`${file}.2`)) === undefined
    if (isWhole && (await copiesOf(file)).join() === copies.join()) return { copies, size }
    await sleep(5)
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await lstat(file).catch(() => undefined))?.size ?? 0
}

/** Which files the copies are, newest first. */
async function copiesOf(file: string): Promise<readonly string[]> {
  const found: string[] = []
  for (let number = 1; ; number++) {
    const copy = await identityOf(`${file}.${number}`)
    if (copy === undefined) return found
    found.push(copy)
  }
}

async function identityOf(file: string): Promise<string | undefined> {
  const stats = await lstat(file).catch(() => undefined)
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
}

/** Whether a log is as long as its copy and begins with the same bytes, so that it was not cut since it was copied. */
async function beginsAs(file: string, copy: string, bytes: number): Promise<boolean> {
  if ((await sizeOf(file)) < bytes) return false
  const to = Math.min(bytes, comparedBytes)
  const heads: Buffer[] = []
  for (const each of [file, copy])
    for await (const chunk of readFrom(each, { from: 0, to, owner: undefined })) heads.push(chunk)
  const [own, other] = heads
  return own !== undefined && other !== undefined && own.equals(other)
}

interface Wanted {
  /** Of the log, in bytes. */
  readonly size: number
  readonly lines: number
  /** How many copies there are. */
  readonly copies: number
  readonly owner: number | undefined
}

/** From the end of the log backwards, over into its copies, until there are enough. */
async function lastLines(file: string, { size, lines, copies, owner }: Wanted): Promise<Buffer> {
  let found = await tailOf(file, size, lines, owner)
  for (let number = 1; number <= copies && found.lines < lines; number++) {
    const copy = `${file}.${number}`
    const more = await tailOf(copy, (await lstat(copy)).size, lines - found.lines, owner)
    found = { content: Buffer.concat([more.content, found.content]), lines: found.lines + more.lines }
  }
  return found.content
}

async function tailOf(
  file: string,
  size: number,
  lines: number,
  owner: number | undefined,
): Promise<{ readonly content: Buffer; readonly lines: number }> {
  const handle = lines > 0 ? await openLog(file, owner) : undefined
  if (!handle) return { content: Buffer.alloc(0), lines: 0 }
  try {
    const chunks: Buffer[] = []
    let breaks = 0
    let first = 0
    for (let position = size; position > 0 && breaks < lines && size - position < maxTailBytes;) {
      const length = Math.min(chunkBytes, position)
      position -= length
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
      chunks.unshift(buffer)
      // The break at the very end ends the last line; the one before the first wanted line is where that begins.
      const from = position + length === size ? length - 2 : length - 1
      for (let at = from; at >= 0 && breaks < lines; at--)
        if (buffer[at] === lineBreak && ++breaks === lines) first = at + 1
    }
    const content = Buffer.concat(chunks).subarray(first)
    return { content, lines: breaks === lines ? lines : content.length === 0 ? 0 : breaks + 1 }
  } finally {
    await handle.close()
  }
}

async function* readFrom(
  file: string,
  { from, to = Infinity, owner }: { from: number; to?: number; owner: number | undefined },
): AsyncIterable<Buffer> {
  const handle = await openLog(file, owner)
  if (!handle) return
  try {
    for (let position = from; position < to;) {
      const length = Math.min(chunkBytes, to - position)
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** Undefined: it is not there, or something else is. */
async function openLog(file: string, owner: number | undefined): Promise<FileHandle | undefined> {
  const handle = await open(file, constants.O_RDONLY | foreignFlags).catch(() => undefined)
  const stats = await handle?.stat()
  if (stats?.isFile() && (owner === undefined || stats.uid === owner)) return handle
  await handle?.close()
  return undefined
}

/** Lines of bytes that come in pieces. */
function createSplitter() {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  return {
    lines(chunk: Buffer): string[] {
      const parts = (begun + decoder.write(chunk)).split('\n')
      begun = parts.pop() ?? ''
      const lines = parts.map((part) => part.replace(/\r$/, ''))
      for (; begun.length > maxLineLength; begun = begun.slice(maxLineLength)) lines.push(begun.slice(0, maxLineLength))
      return lines
    },
    rest(): string[] {
      return begun === '' ? [] : [begun]
    },
  }
}
