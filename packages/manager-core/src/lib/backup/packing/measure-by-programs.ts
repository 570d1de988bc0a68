import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runChain, type Command } from '../../accounts/program.js'
import { followFile } from './follow-file.js'
import type { MeasureReport } from './measure.worker.js'
import type { Measures, ReadOptions } from './read-options.js'
import { decompress } from './zstd.js'

const script = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './measure.worker.ts' : './measure.worker.js', import.meta.url),
)

export interface MeasureOptions extends Pick<ReadOptions, 'onBytes' | 'check' | 'tail' | 'limit' | 'signal'> {
  /** It passes on what it reads, which is a tar. Default: no. */
  readonly through?: boolean
}

export interface Measure {
  /** Comes after the program that writes what is measured. */
  readonly command: Command
  /** For the programs: aborted with the reason when what they give is refused. */
  readonly signal: AbortSignal
  /** When they have ended well. */
  result(): Pick<Measures, 'plainSize' | 'plainSha256'> & { readonly entries: number }
}

/** A process that measures what it reads, and lists the entries of a tar for a check. */
export function createMeasure({ onBytes, check, tail, limit, signal, through }: MeasureOptions): Measure {
  const stop = new AbortController()
  let entries = 0
  let last: Extract<MeasureReport, { sha256: string }> | undefined
  const take = (report: MeasureReport) => {
    if ('refused' in report) throw new Error(report.refused)
    if ('entry' in report) {
      entries++
      check?.(report.entry)
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
  const flags = [
    ...(check || through ? ['--tar'] : []),
    ...(check ? ['--list'] : []),
    ...(through ? ['--through'] : []),
    ...(limit === undefined ? [] : [`--limit=${limit}`]),
  ]
  return {
    command: { command: process.execPath, args: [script, ...flags], isReport },
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    result() {
      if (last?.fault !== undefined) throw new Error(last.fault)
      if (!last || (check && last.entries !== entries)) throw new Error('not all of its contents were read')
      tail?.add(Buffer.from(last.tail, 'base64'))
      return { plainSize: last.size, plainSha256: last.sha256, entries: last.entries }
    },
  }
}

/**
 * What is stored is measured here, and what it holds in a process that reads it from zstd.
 *
 * @param decrypt comes before zstd
 */
export async function measureByPrograms(
  file: string,
  decrypt: Command | undefined,
  { end, ...options }: ReadOptions & { readonly end: Promise<unknown> },
): Promise<Measures> {
  const hash = createHash('sha256')
  let size = 0
  const feed = async (input: Writable) => {
    for await (const piece of followFile(file, end, Buffer.allocUnsafe(1 << 18))) {
      const written = write(input, piece)
      hash.update(piece)
      size += piece.length
      await written
    }
  }
  const measure = createMeasure(options)
  const { command, signal } = measure
  await runChain([...(decrypt ? [decrypt] : []), decompress(), command], { feed, signal })
  const { plainSize, plainSha256 } = measure.result()
  return { size, sha256: hash.digest('hex'), plainSize, plainSha256 }
}

function write(input: Writable, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    input.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}
