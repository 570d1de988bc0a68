import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { unpackTar } from 'modern-tar/fs'

/** A line of JSON on the standard error. */
export type MeasureReport =
  | {
      readonly entry: {
        readonly name: string
        readonly type?: string
        readonly linkname?: string
        readonly mode?: number
      }
    }
  /** So far. */
  | { readonly size: number }
  /** The last one; `tail`: its last bytes, in Base64. */
  | { readonly size: number; readonly sha256: string; readonly entries: number; readonly tail: string }

const pieceSize = 1 << 18
/** The tar reader keeps up to 8 MB of an incomplete header, which must not be overwritten meanwhile. */
const memory = Buffer.allocUnsafe(1 << 24)
const reportEvery = 1 << 24
const tailBytes = 512

/**
 * Measures its standard input, and with `--tar` lists its entries. A process, because that reads what another one writes
 * without this memory being made and thrown away; it imports no other file, so that it runs as source, too.
 */
async function run(isTar: boolean): Promise<void> {
  const hash = createHash('sha256')
  let entries = 0
  const tar = unpackTar(tmpdir(), {
    strict: true,
    maxDepth: Infinity,
    filter: ({ name, type, linkname, mode }) => {
      entries++
      report({ entry: { name, type, linkname, mode } })
      return false
    },
  })
  // Its callbacks report.
  tar.on('error', () => undefined)
  let size = 0
  let tail = Buffer.alloc(0)
  for (let at = 0, count = 0; (count = readSync(0, memory, at, pieceSize, null)) > 0;) {
    const piece = memory.subarray(at, at + count)
    at = at + count + pieceSize > memory.length ? 0 : at + count
    hash.update(piece)
    if (isTar) await finished((done) => tar.write(piece, done))
    tail = Buffer.concat([tail, piece.subarray(-tailBytes)]).subarray(-tailBytes)
    const before = size
    size += count
    if (Math.floor(before / reportEvery) < Math.floor(size / reportEvery)) report({ size })
  }
  if (isTar) await finished((done) => tar.end(done))
  report({ size, sha256: hash.digest('hex'), entries, tail: tail.toString('base64') })
}

function finished(work: (done: (error?: Error | null) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => void work((error) => (error ? reject(error) : resolve())))
}

function report(what: MeasureReport): void {
  process.stderr.write(`${JSON.stringify(what)}\n`)
}

try {
  await run(process.argv.includes('--tar'))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
