import { open, stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
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

/**
 * Last lines of a log that is rotated by copying (`<file>.1` is the newest copy) and truncating, then what is written
 * to it from then on. A log that is not there is an empty one.
 */
export async function* followLog(
  file: string,
  { lines = 100, follow = false, filter, signal }: LogOptions = {},
): AsyncIterable<string> {
  let copies = await copiesOf(file)
  let position = (await stat(file).catch(() => undefined))?.size ?? 0
  const { last, splitter, wanted } = await lastWanted(file, position, { lines, filter, copies: copies.length })
  yield* last
  for (let more = follow; more; more = await wait(pollMs, signal)) {
    const now = await copiesOf(file)
    // Copies that were made since the last look: the oldest of them goes on where we were.
    const known = now.indexOf(copies[0] ?? '')
    const fresh = known === -1 ? now.length : known
    if (fresh > 0 && now.join() !== copies.join()) {
      for (let number = fresh; number > 0; number--) {
        for await (const chunk of readFrom(`${file}.${number}`, position)) yield* splitter.lines(chunk).filter(wanted)
        position = 0
      }
    }
    copies = now
    const size = (await stat(file).catch(() => undefined))?.size ?? 0
    if (size < position) position = 0
    for await (const chunk of readFrom(file, position, size)) {
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
  { lines, filter, copies }: Pick<LogOptions, 'filter'> & { readonly lines: number; readonly copies: number },
) {
  for (let read = filter ? lines * 2 : lines; ; read *= 4) {
    const splitter = createSplitter()
    const wanted = filter?.() ?? (() => true)
    const all = splitter.lines(await lastLines(file, position, read, copies))
    const last = all.filter(wanted)
    if (!filter || last.length >= lines || all.length + 1 < read || read >= mostSearched)
      return { last: last.slice(Math.max(0, last.length - lines)), splitter, wanted }
  }
}

/** @returns false when it was aborted. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false)
}

/** Which files the copies are, newest first. */
async function copiesOf(file: string): Promise<readonly string[]> {
  const found: string[] = []
  for (let number = 1; ; number++) {
    const copy = await stat(`${file}.${number}`).catch(() => undefined)
    if (!copy) return found
    found.push(`${copy.dev}:${copy.ino}:${copy.birthtimeMs}`)
  }
}

/** From the end of the log backwards, over into its copies, until there are enough. */
async function lastLines(file: string, size: number, lines: number, copies: number): Promise<Buffer> {
  let found = await tailOf(file, size, lines)
  for (let number = 1; number <= copies && found.lines < lines; number++) {
    const copy = `${file}.${number}`
    const more = await tailOf(copy, (await stat(copy)).size, lines - found.lines)
    found = { content: Buffer.concat([more.content, found.content]), lines: found.lines + more.lines }
  }
  return found.content
}

async function tailOf(
  file: string,
  size: number,
  lines: number,
): Promise<{ readonly content: Buffer; readonly lines: number }> {
  const handle = lines > 0 ? await open(file).catch(() => undefined) : undefined
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

async function* readFrom(file: string, from: number, to = Infinity): AsyncIterable<Buffer> {
  const handle = await open(file).catch(() => undefined)
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
