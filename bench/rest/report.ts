import { judge } from './figures.ts'
import type { Sample } from './measure.ts'
import { calmCores } from './measure.ts'
import { operations } from './operations.ts'
import type { Target } from './databases.ts'
import type { ServerName } from './servers.ts'
import type { StreamResult } from './stream.ts'
import { summarize } from './summary.ts'

export interface MemoryResult {
  readonly server: ServerName
  readonly idleMiB: number
  readonly mostMiB: number
}

/** Everything that was measured on one database. */
export interface DatabaseResult {
  readonly kind: Target['kind']
  readonly title: string
  readonly samples: readonly Sample[]
  readonly memory: readonly MemoryResult[]
  readonly streams: readonly StreamResult[]
}

/** The tables of one database, for people. */
export function formatResult({ kind, title, samples, memory, streams }: DatabaseResult): string {
  const summaries = summarize(samples)
  const rates = summaries.map((each) => [
    each.server === summaries.find(({ operation }) => operation === each.operation)?.server
      ? operations[each.operation].title
      : '',
    each.server,
    whole(each.perSecond) + (each.doubtful ? ' ~' : '  '),
    `±${(each.spread * 100).toFixed(0)} %`,
    each.ratio?.toFixed(2) ?? '',
    each.p50Ms.toFixed(2),
    each.p99Ms.toFixed(2),
    whole(each.serverMicros),
    kind === 'sqlite' ? '' : whole(each.databaseMicros),
  ])
  const parts = [
    table(
      ['', 'server', 'requests/s  ', 'spread', 'of raw', 'p50 ms', 'p99 ms', 'CPU µs', 'CPU µs database'],
      rates,
      2,
    ),
    table(
      ['memory', 'idle MiB', 'most MiB'],
      memory.map((each) => [each.server, whole(each.idleMiB), whole(each.mostMiB)]),
    ),
  ]
  if (streams.length > 0) {
    parts.push(
      table(
        ['all rows', 'reader', 'records', 'MiB', 's', 'before MiB', 'most MiB'],
        streams.map((each) => [
          each.server,
          each.reader,
          whole(each.records),
          each.mib.toFixed(1),
          each.seconds.toFixed(1),
          whole(each.beforeMiB),
          whole(each.mostMiB),
        ]),
        2,
      ),
    )
  }
  if (summaries.some(({ doubtful }) => doubtful)) {
    parts.push(`~ other work took more than ${calmCores} core during a sample: repeat on a calm machine.`)
  }
  const verdicts = judge(kind, summaries, memory)
  if (verdicts.length > 0)
    parts.push(
      verdicts
        .map(({ text, met, doubtful }) => `${met ? 'met   ' : 'MISSED'} ${doubtful ? '~' : ' '} ${text}`)
        .join('\n'),
    )
  return [`## ${title}`, ...parts].join('\n\n')
}

/** Columns after the first `left` ones are aligned to the right. */
function table(head: string[], rows: string[][], left = 1): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column < left ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
