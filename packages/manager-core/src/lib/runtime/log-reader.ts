import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { foreignStats, openForeign } from '../accounts/foreign.js'
import type { LogOptions } from './runtime.js'

/** How often it is looked at for more, in ms. */
const pollMs = 200
const chunkBytes = 65_536
/** A longer line is given in pieces, so that it does not fill the reader's memory. */
const maxLineLength = 1_000_000
/** No more is read from the end of a file for its last lines. */
const maxTailBytes = 50_000_000
/** More lines are not searched for those that are wanted. */
const mostSearched = 100_000
const lineBreak = 10
/** A log is the same as its copy when that many bytes are equal at both ends of what was copied. */
const comparedBytes = 4096
/** So often it is waited for copies that get new numbers. */
const mostLooks = 20

/**
 * Last lines of a log that is rotated by copying (`<file>.1` is the newest copy) and truncating, then what is written
 * to it from then on. A log that is not there is an empty one. Whenever it is rotated meanwhile, each line comes once.
 *
 * @param owner user id that the files must have, see `readForeignFile`; others count as missing. Default: any owner.
 */
export async function* followLog(
  file: string,
  { lines = 100, follow = false, filter, signal }: LogOptions = {},
  owner?: number,
): AsyncIterable<string> {
  const log: Log = { file, owner }
  const begin = await lastWanted(log, { lines, filter })
  const { splitter, wanted } = begin
  yield* begin.last
  const seen = new Set(begin.copies)
  let { position, copied } = begin
  for (let more = follow; more; more = await wait(pollMs, signal)) {
    const { copies, size } = await lookAt(file)
    // Copies that were made since the last look: the oldest of them continues where we were.
    const known = copies.findIndex((copy) => seen.has(copy))
    for (const copy of copies.slice(0, known === -1 ? copies.length : known).toReversed()) {
      seen.add(copy)
      const handle = await openCopy(log, copy)
      try {
        if (!handle || !(await isUncut(handle, copied))) position = 0
        for await (const chunk of readFrom(handle, { from: position })) {
          position += chunk.length
          yield* splitter.lines(chunk).filter(wanted)
        }
        copied = await copiedUntil(handle, position)
      } finally {
        await handle?.close()
      }
    }
    const handle = await openLog(log)
    try {
      if (!(await isUncut(handle, copied))) {
        position = 0
        copied = undefined
      }
      if (size < position) position = 0
      for await (const chunk of readFrom(handle, { from: position, to: size })) {
        // What was read after it was copied, or cut, may be of the next one, which starts at 0.
        if ((await copiesOf(file)).copies[0] !== copies[0] || !(await isUncut(handle, copied))) break
        position += chunk.length
        yield* splitter.lines(chunk).filter(wanted)
      }
    } finally {
      await handle?.close()
    }
  }
  yield* splitter.rest().filter(wanted)
}

interface Log {
  readonly file: string
  readonly owner: number | undefined
}

/** What was copied of a log that was perhaps not cut since. */
interface Copied {
  readonly bytes: number
  readonly head: Buffer
  readonly tail: Buffer
}

/** Reads further and further back until there are enough. A last line without an end stays in the splitter. */
async function lastWanted(log: Log, { lines, filter }: { lines: number } & Pick<LogOptions, 'filter'>) {
  for (let read = filter ? lines * 2 : lines; ; read *= 4) {
    const splitter = createSplitter()
    const wanted = filter?.() ?? (() => true)
    const { content, ...state } = await lastLines(log, read)
    const all = splitter.lines(content)
    const last = all.filter(wanted)
    if (!filter || last.length >= lines || all.length + 1 < read || read >= mostSearched)
      return { last: last.slice(Math.max(0, last.length - lines)), splitter, wanted, ...state }
  }
}

/** @returns false when it was aborted. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false)
}

/** Copies and size as they are at one moment, not while copies are just given their new numbers. */
async function lookAt(file: string): Promise<{ readonly copies: readonly string[]; readonly size: number }> {
  for (let tries = 1; ; tries++) {
    const { copies, isWhole } = await copiesOf(file)
    const size = foreignStats(file)?.size ?? 0
    if ((isWhole || tries > mostLooks) && (await copiesOf(file)).copies.join() === copies.join())
      return { copies, size }
    await sleep(5)
  }
}

/** Which files the copies are, newest first. Whole: no number is missing. */
async function copiesOf(file: string): Promise<{ readonly copies: readonly string[]; readonly isWhole: boolean }> {
  const copies: string[] = []
  for (let number = 1, missing = 0; ; number++) {
    const stats = foreignStats(`${file}.${number}`)
    const copy = stats && identityOf(stats)
    missing = copy === undefined ? missing + 1 : 0
    if (copy !== undefined) copies.push(copy)
    if (missing > 1) return { copies, isWhole: copies.length === number - missing }
  }
}

function identityOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
}

async function copiedUntil(handle: FileHandle | undefined, bytes: number): Promise<Copied | undefined> {
  if (!handle || bytes === 0) return undefined
  const length = Math.min(bytes, comparedBytes)
  return { bytes, head: await readAt(handle, 0, length), tail: await readAt(handle, bytes - length, length) }
}

/** Whether a log, or the next copy of it, still begins with what was copied. True also when nothing was. */
async function isUncut(handle: FileHandle | undefined, copied: Copied | undefined): Promise<boolean> {
  if (!copied) return true
  if (!handle) return false
  const { bytes, head, tail } = copied
  return (
    (await readAt(handle, bytes - tail.length, tail.length)).equals(tail) &&
    (await readAt(handle, 0, head.length)).equals(head)
  )
}

/** Less than asked for at the end of the file. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** From the end of the log backwards, over into its copies, until there are enough; and where to continue. */
async function lastLines(log: Log, lines: number) {
  for (let tries = 1; ; tries++) {
    const { copies } = await lookAt(log.file)
    const newest = copies[0] === undefined ? undefined : await openCopy(log, copies[0])
    const handle = await openLog(log)
    try {
      let copied = await copiedUntil(newest, (await newest?.stat())?.size ?? 0)
      if (!(await isUncut(handle, copied))) copied = undefined
      const size = (await handle?.stat())?.size ?? 0
      let found = await tailOf(handle, size, lines)
      for (const copy of copies.slice(copied ? 1 : 0)) {
        if (found.lines >= lines) break
        const older = await openCopy(log, copy)
        const more = await tailOf(older, (await older?.stat())?.size ?? 0, lines - found.lines)
        await older?.close()
        found = { content: Buffer.concat([more.content, found.content]), lines: found.lines + more.lines }
      }
      // If the log was copied or cut meanwhile, what was read may be of the next one.
      const isSame = (await copiesOf(log.file)).copies[0] === copies[0] && (await isUncut(handle, copied))
      if (isSame || tries > mostLooks) return { content: found.content, copies, position: size, copied }
    } finally {
      await handle?.close()
      await newest?.close()
    }
  }
}

async function tailOf(
  handle: FileHandle | undefined,
  size: number,
  lines: number,
): Promise<{ readonly content: Buffer; readonly lines: number }> {
  if (!handle || lines === 0) return { content: Buffer.alloc(0), lines: 0 }
  const chunks: Buffer[] = []
  let breaks = 0
  let first = 0
  for (let position = size; position > 0 && breaks < lines && size - position < maxTailBytes;) {
    const length = Math.min(chunkBytes, position)
    position -= length
    const chunk = await readAt(handle, position, length)
    chunks.unshift(chunk)
    // The break at the very end ends the last line; the one before the first wanted line is where that starts.
    const from = position + length === size ? length - 2 : length - 1
    for (let at = from; at >= 0 && breaks < lines; at--)
      if (chunk[at] === lineBreak && ++breaks === lines) first = at + 1
  }
  const content = Buffer.concat(chunks).subarray(first)
  return { content, lines: breaks === lines ? lines : content.length === 0 ? 0 : breaks + 1 }
}

async function* readFrom(
  handle: FileHandle | undefined,
  { from, to = Infinity }: { from: number; to?: number },
): AsyncIterable<Buffer> {
  if (!handle) return
  for (let position = from; position < to;) {
    const chunk = await readAt(handle, position, Math.min(chunkBytes, to - position))
    if (chunk.length === 0) return
    position += chunk.length
    yield chunk
  }
}

/** Undefined: it is not there, or something else is. */
async function openLog({ file, owner }: Log): Promise<FileHandle | undefined> {
  return openForeign(file, owner).catch(() => undefined)
}

/** The copy, whatever number it has by now: numbers only grow. Undefined: it is gone, or another's. */
async function openCopy(log: Log, copy: string): Promise<FileHandle | undefined> {
  for (let number = 1, missing = 0; missing < 2; number++) {
    const handle = await openLog({ ...log, file: `${log.file}.${number}` })
    missing = handle ? 0 : missing + 1
    if (handle && identityOf(await handle.stat()) === copy) return handle
    await handle?.close()
  }
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
