import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runChain, type Command } from '../../accounts/program.js'
import type { TarEntry } from './check-entries.js'
import { followFile } from './follow-file.js'
import type { MeasureReport } from './measure.worker.js'
import type { Measures, ReadOptions } from './read-options.js'
import { decompression } from './zstd.js'

const script = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './measure.worker.ts' : './measure.worker.js', import.meta.url),
)

/**
 * What is stored is measured here, and what it holds in a process that reads it from zstd.
 *
 * @param decrypt comes before zstd
 */
export async function measureByPrograms(
  file: string,
  decrypt: Command | undefined,
  { signal, onBytes, check, tail, end }: ReadOptions & { readonly end: Promise<unknown> },
): Promise<Measures> {
  const stop = new AbortController()
  const hash = createHash('sha256')
  let size = 0
  let entries = 0
  let last: Extract<MeasureReport, { sha256: string }> | undefined
  const take = (report: MeasureReport) => {
    if ('entry' in report) {
      entries++
      check?.(report.entry as TarEntry)
    } else {
      onBytes?.(report.size)
      if ('sha256' in report) last = report
    }
  }
  const isReport = (line: string) => {
    if (!line.startsWith('{')) return false
    try {
      take(JSON.parse(line) as MeasureReport)
    } catch (error) {
      stop.abort(error)
    }
    return true
  }
  const feed = async (input: Writable) => {
    for await (const piece of followFile(file, end, Buffer.allocUnsafe(1 << 18))) {
      const written = write(input, piece)
      hash.update(piece)
      size += piece.length
      await written
    }
  }
  await runChain(
    [
      ...(decrypt ? [decrypt] : []),
      { command: 'zstd', args: decompression },
      { command: process.execPath, args: [script, ...(check ? ['--tar'] : [])], isReport },
    ],
    { feed, signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal },
  )
  if (last?.entries !== entries) throw new Error('not all of its contents were read')
  tail?.add(Buffer.from(last.tail, 'base64'))
  return { size, sha256: hash.digest('hex'), plainSize: last.size, plainSha256: last.sha256 }
}

function write(input: Writable, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    input.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}
