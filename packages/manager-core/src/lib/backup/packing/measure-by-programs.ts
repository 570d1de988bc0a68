import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { DatabaseServerError } from '@steward/db-adapters/server'
import { ManagerError } from '../../../errors.js'
import { runChain, type Command } from '../../accounts/program.js'
import { toManagerError } from '../../databases/translated-server.js'
import { followFile } from './follow-file.js'
import type { MeasureReport } from './measure.worker.js'
import type { Measures, ReadOptions } from './read-options.js'
import { extraction } from './unpack.js'
import { decompress } from './zstd.js'

const script = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './measure.worker.ts' : './measure.worker.js', import.meta.url),
)

/**
 * What is stored is measured here, and what it holds in a process that reads it from zstd, and looks at the entries of a
 * tar. That one passes on what it has looked at to the program that unpacks it.
 *
 * @param decrypt comes before zstd
 */
export async function measureByPrograms(
  file: string,
  decrypt: Command | undefined,
  { onBytes, tar, dump, into, tail, limit, signal, end }: ReadOptions & { readonly end: Promise<unknown> },
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
  const stop = new AbortController()
  let last: Extract<MeasureReport, { sha256: string }> | undefined
  const take = (report: MeasureReport) => {
    if ('refused' in report) throw refusalOf(report)
    onBytes?.(report.size)
    if ('sha256' in report) last = report
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
    ...(tar ? ['--tar'] : []),
    ...(tar?.tops ? [`--tops=${tar.tops.join(',')}`] : []),
    ...(tar?.plainNames ? ['--plain-names'] : []),
    ...(dump === undefined ? [] : [`--dump=${dump}`]),
    ...(into ? ['--through'] : []),
    ...(limit === undefined ? [] : [`--limit=${limit}`]),
  ]
  const measure: Command = { command: process.execPath, args: [script, ...flags], isReport }
  const programs = [...(decrypt ? [decrypt] : []), decompress(into?.account), measure]
  await runChain([...programs, ...(into ? [extraction(into)] : [])], {
    feed,
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
  })
  if (!last) throw new Error('not all of its contents were read')
  if (last.fault !== undefined) throw new Error(last.fault)
  tail?.add(Buffer.from(last.tail, 'base64'))
  const { size: plainSize, sha256: plainSha256, entries } = last
  return { size, sha256: hash.digest('hex'), plainSize, plainSha256, ...(tar && { entries }) }
}

function refusalOf({ refused, what }: Extract<MeasureReport, { refused: string }>): Error {
  if (what === 'entry') return new ManagerError('ERR_BACKUP', refused)
  return what === 'dump' ? toManagerError(new DatabaseServerError('ERR_DUMP', refused)) : new Error(refused)
}

function write(input: Writable, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    input.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}
