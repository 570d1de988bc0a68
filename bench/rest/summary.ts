import { calmCores, type Sample } from './measure.ts'
import { operationNames, type OperationName } from './operations.ts'
import { serverNames, type ServerName } from './servers.ts'

/** All samples of one server and operation: medians over the rounds. */
export interface Summary {
  readonly server: ServerName
  readonly operation: OperationName
  readonly perSecond: number
  /** Half of the distance between the lowest and the highest sample, as a part of the median. */
  readonly spread: number
  /** Share of the raw driver's rate in the same round; absent when that was not measured. */
  readonly ratio: number | undefined
  readonly p50Ms: number
  readonly p99Ms: number
  readonly serverMicros: number
  readonly databaseMicros: number
  /** At least one sample met other work on the machine. */
  readonly doubtful: boolean
}

export function summarize(samples: readonly Sample[]): Summary[] {
  return operationNames.flatMap((operation) =>
    serverNames.flatMap((server) => {
      const own = samples.filter((sample) => sample.server === server && sample.operation === operation)
      return own.length === 0 ? [] : [summarizeOne(server, operation, own, samples)]
    }),
  )
}

function summarizeOne(server: ServerName, operation: OperationName, own: Sample[], all: readonly Sample[]): Summary {
  const rates = own.map((sample) => sample.perSecond)
  const ratios = own.flatMap(({ round, perSecond }) => {
    const raw = all.find(
      (sample) => sample.server === 'raw' && sample.operation === operation && sample.round === round,
    )
    return raw === undefined ? [] : [perSecond / raw.perSecond]
  })
  const medianOf = (name: 'p50Ms' | 'p99Ms' | 'serverMicros' | 'databaseMicros') =>
    median(own.map((sample) => sample[name]))
  return {
    server,
    operation,
    perSecond: median(rates),
    spread: (Math.max(...rates) - Math.min(...rates)) / 2 / median(rates),
    ratio: ratios.length === 0 ? undefined : median(ratios),
    p50Ms: medianOf('p50Ms'),
    p99Ms: medianOf('p99Ms'),
    serverMicros: medianOf('serverMicros'),
    databaseMicros: medianOf('databaseMicros'),
    doubtful: own.some((sample) => sample.otherCores > calmCores),
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2
}
