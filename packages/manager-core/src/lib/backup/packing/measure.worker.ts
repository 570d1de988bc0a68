import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ManagerError } from '../../../errors.ts'
import { createEntryCheck } from './check-entries.ts'
import { createTarReader, type TarReader } from './tar-reader.ts'

/** A line of JSON on the standard error. */
export type MeasureReport =
  /** Why it is not accepted: an entry that no backup may have, something in a dump, or its form. */
  | { readonly refused: string; readonly what: 'entry' | 'dump' | 'form' }
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
  /** The only folders that its entries may be in. Default: any. */
  readonly tops: readonly string[] | undefined
  /** See `TarContents`. */
  readonly plainNames: boolean
  /** It is a dump of a database of this type. */
  readonly dump: string | undefined
  /** Everything is passed on to the standard output. */
  readonly through: boolean
  /** More bytes are refused. */
  readonly limit: number
}

/**
 * Measures its standard input, and looks at the entries of a tar. A process, because that reads what another one writes
 * without this memory being made and thrown away. What is passed on was looked at before; a tar that is refused ends in
 * its middle.
 */
async function run({ dump, ...options }: Options): Promise<void> {
  const pieces = measured(options)
  const { refuseCommands } = dump === undefined ? {} : await import('@steward/db-adapters/server')
  const refuse = refuseCommands?.(dump as string)
  if (refuse) for await (const piece of refuse(asSource(pieces))) void piece
  else for (const piece of pieces) void piece
}

async function* asSource(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces
}

/** Each piece is good until the next one is asked for. */
function* measured({ tar, tops, plainNames, through, limit }: Omit<Options, 'dump'>): Generator<Buffer> {
  const hash = createHash('sha256')
  const memory = Buffer.allocUnsafe(pieceSize)
  let entries = 0
  let size = 0
  let tail = Buffer.alloc(0)
  let isRead = through
  const check = createEntryCheck({ tops, plainNames })
  const reader = createTarReader((entry) => {
    entries++
    check(entry)
  })
  for (let count = 0; (count = readSync(0, memory, 0, pieceSize, null)) > 0;) {
    const piece = memory.subarray(0, count)
    const before = size
    size += count
    if (size > limit) throw new Error(`there are more than the ${limit} bytes that it should have`)
    hash.update(piece)
    if (tar) reader.write(piece)
    else tail = Buffer.concat([tail, piece.subarray(-tailBytes)]).subarray(-tailBytes)
    if (isRead) isRead = passOn(piece)
    if (through && !isRead && tar && !reader.isComplete()) {
      // It says itself why.
      process.stderr.write('Broken pipe: the program that reads it ended before the end of the archive\n')
      process.exitCode = 1
      return
    }
    yield piece
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
  const { values } = parseArgs({
    options: {
      tar: { type: 'boolean', default: false },
      tops: { type: 'string' },
      'plain-names': { type: 'boolean', default: false },
      dump: { type: 'string' },
      through: { type: 'boolean', default: false },
      limit: { type: 'string', default: 'Infinity' },
    },
  })
  const { tar, tops, dump, through, limit } = values
  const plainNames = values['plain-names']
  await run({ tar, tops: tops?.split(','), plainNames, dump, through, limit: Number(limit) })
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException
  report({ refused: message, what: ManagerError.is(error) ? 'entry' : code === 'ERR_DUMP' ? 'dump' : 'form' })
  process.exitCode = 1
}
