import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { createTarReader, type TarEntry, type TarReader } from './tar-reader.ts'

/** A line of JSON on the standard error. */
export type MeasureReport =
  | { readonly entry: TarEntry }
  /** Why it is not accepted. */
  | { readonly refused: string }
  /** So far. */
  | { readonly size: number }
  /** The last one; `tail`: its last bytes, in Base64. `fault`: what is missing at its end. */
  | {
      readonly size: number
      readonly sha256: string
      readonly entries: number
      readonly tail: string
      readonly fault?: string
    }

const pieceSize = 1 << 18
const reportEvery = 1 << 24
const tailBytes = 512

interface Options {
  /** It is a tar. */
  readonly tar: boolean
  /** Its entries are listed. */
  readonly list: boolean
  /** Everything is passed on to the standard output. */
  readonly through: boolean
  /** More bytes are refused. */
  readonly limit: number
}

/**
 * Measures its standard input. A process, because that reads what another one writes without this memory being made and
 * thrown away. What is passed on was looked at before; a tar that is refused ends in its middle.
 */
function run({ tar, list, through, limit }: Options): void {
  const hash = createHash('sha256')
  const memory = Buffer.allocUnsafe(pieceSize)
  let entries = 0
  let size = 0
  let tail = Buffer.alloc(0)
  let isRead = through
  const reader = createTarReader((entry) => {
    entries++
    if (list) report({ entry })
  })
  for (let count = 0; (count = readSync(0, memory, 0, pieceSize, null)) > 0;) {
    const piece = memory.subarray(0, count)
    const before = size
    size += count
    if (size > limit) throw new Error(`there are more than the ${limit} bytes that it should have`)
    hash.update(piece)
    if (tar) reader.write(piece)
    if (isRead) isRead = passOn(piece)
    if (through && !isRead && tar && !reader.isComplete())
      throw new Error('the program that reads it ended before the end of the archive')
    tail = Buffer.concat([tail, piece.subarray(-tailBytes)]).subarray(-tailBytes)
    if (Math.floor(before / reportEvery) < Math.floor(size / reportEvery)) report({ size })
  }
  const fault = tar ? faultAtEnd(reader) : undefined
  report({ size, sha256: hash.digest('hex'), entries, tail: tail.toString('base64'), ...(fault && { fault }) })
}

/** No failure of this program: the one that it reads from may know why something is missing. */
function faultAtEnd(reader: TarReader): string | undefined {
  try {
    reader.end()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** @returns false when nothing reads it: tar ends at the end of an archive, before the end of what pads it. */
function passOn(piece: Buffer): boolean {
  try {
    for (let at = 0; at < piece.length;) at += writeSync(1, piece, at)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false
    throw error
  }
}

function report(what: MeasureReport): void {
  process.stderr.write(`${JSON.stringify(what)}\n`)
}

try {
  const [, limit] = /--limit=(\d+)/.exec(process.argv.join(' ')) ?? []
  run({
    tar: process.argv.includes('--tar'),
    list: process.argv.includes('--list'),
    through: process.argv.includes('--through'),
    limit: limit === undefined ? Infinity : Number(limit),
  })
} catch (error) {
  report({ refused: (error as Error).message })
  process.exitCode = 1
}
