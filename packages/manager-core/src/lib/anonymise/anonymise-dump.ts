import { ManagerError } from '../../errors.js'
import type { Json } from '../domain/json.js'
import { createMakers, type MakerOptions } from './column-maker.js'
import { createObjectWork, type ObjectWork, type RowCounts } from './object-work.js'

export interface AnonymiseOptions extends MakerOptions {
  /** Login that stays as it is: that of the administrator, who would be locked out. */
  readonly administrator: string
  /** Called with the id of each document that a record of the clone has and may keep. */
  readonly onDocument: (id: string) => void
  /** Called each time this many more records are done. */
  readonly onRows?: (object: string, rows: number) => void
}

/** By object. */
export type Counts = Record<string, RowCounts>

/** A text that is handed on at once, in characters. */
const batchLength = 65_536
const rowsBetweenTold = 1_000
/** The length of a line, in characters: each is in memory as a whole. Not specified; chosen as more than a record has. */
const longestLine = 64 * 2 ** 20

/**
 * Changes a dump of records (`app-server --dump`) on its way, as the plan says; empty values stay empty. Memory stays
 * flat: objects with shuffled columns go through the spool.
 *
 * @param counts filled on the way
 * @throws ManagerError ERR_FAILED for a dump that is not one of the application; what the makers throw
 */
export async function* anonymiseDump(
  content: AsyncIterable<Uint8Array>,
  options: AnonymiseOptions,
  counts: Counts,
): AsyncGenerator<Buffer> {
  let batch = ''
  for await (const line of changedLines(linesOf(content), options, counts)) {
    batch += `${line}\n`
    if (batch.length < batchLength) continue
    yield Buffer.from(batch)
    batch = ''
  }
  if (batch !== '') yield Buffer.from(batch)
}

async function* changedLines(
  lines: AsyncIterable<string>,
  options: AnonymiseOptions,
  counts: Counts,
): AsyncGenerator<string> {
  const { plan, spool, administrator, onDocument, onRows } = options
  const maker = createMakers(options)
  const plans = new Map(plan.objects.map((one) => [one.object.name, one]))
  let current: ObjectWork | undefined
  for await (const line of lines) {
    if (current && line.startsWith('[')) {
      const row = current.change(line)
      if (row !== undefined) yield row
      const { rows } = current.counts
      if (rows % rowsBetweenTold === 0 && rows > 0) onRows?.(current.name, rows)
      continue
    }
    if (current) yield* current.rest()
    current = undefined
    const { object, fields, end, format, version } = parse(line)
    if (typeof object === 'string' && Array.isArray(fields)) {
      const found = plans.get(object)
      if (!found) throw wrong(`it has an object "${object}", which the application does not have`)
      current = createObjectWork(found, fields as string[], { ...options, maker, spool, administrator, onDocument })
      counts[object] = current.counts
      yield line
    } else if (end !== undefined) {
      // The dump's own counts were those before records were dropped.
      for (const [name, rows] of Object.entries(end as Record<string, number>))
        if (counts[name]?.read !== rows) throw wrong(`it declares ${rows} records of ${name}`)
      yield JSON.stringify({ end: Object.fromEntries(Object.entries(counts).map(([name, { rows }]) => [name, rows])) })
    } else if (format === 'steward-records' && version === 1) yield line
    else throw wrong('it contains an unknown line')
  }
}

function parse(line: string): Readonly<Record<string, Json>> {
  try {
    return JSON.parse(line) as Record<string, Json>
  } catch {
    throw wrong('it contains a damaged line')
  }
}

function wrong(what: string): ManagerError {
  return new ManagerError('ERR_FAILED', `The records cannot be anonymised, because the dump is invalid: ${what}.`)
}

async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let parts: string[] = []
  let length = 0
  for await (const chunk of content) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n')
    const last = pieces.pop() as string
    for (const piece of pieces) {
      yield parts.length === 0 ? piece : [...parts, piece].join('')
      parts = []
      length = 0
    }
    if (last !== '') parts.push(last)
    length += last.length
    if (length > longestLine) throw wrong(`it has a line of more than ${longestLine} characters`)
  }
  const rest = parts.join('') + decoder.decode()
  if (rest !== '') yield rest
}
