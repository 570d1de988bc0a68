import type { DatabaseKind } from './databases.ts'
import type { OperationName } from './operations.ts'
import type { MemoryResult } from './report.ts'
import type { ServerName } from './servers.ts'
import type { Summary } from './summary.ts'

interface Figures {
  /** Least ratio to the raw driver. */
  readonly ratios: Readonly<Record<OperationName, number>>
  readonly mostMiB: number
}

/** What Steward is meant to reach. MySQL has no figures. */
const figures: Partial<Record<DatabaseKind, Figures>> = {
  sqlite: {
    ratios: { get: 0.65, search20: 0.88, searchOr: 0.88, search100: 0.88, create: 0.75, update: 0.75 },
    mostMiB: 200,
  },
  postgresql: {
    ratios: { get: 0.85, search20: 0.95, searchOr: 0.95, search100: 0.95, create: 0.8, update: 0.8 },
    mostMiB: 230,
  },
}

/** Least multiple of a peer's rate on get. */
const multiples: Partial<Record<ServerName, number>> = { knex: 2, feathers: 2.5 }

export interface Verdict {
  readonly text: string
  readonly met: boolean
  /** Something that it rests on met other work on the machine. */
  readonly doubtful: boolean
}

/** Compares what was measured of Steward with the figures. */
export function judge(kind: DatabaseKind, summaries: readonly Summary[], memory: readonly MemoryResult[]): Verdict[] {
  const wanted = figures[kind]
  if (wanted === undefined) return []
  const find = (server: ServerName, operation: OperationName) =>
    summaries.find((summary) => summary.server === server && summary.operation === operation)
  const verdicts: Verdict[] = []
  for (const { server, operation, ratio, doubtful } of summaries) {
    if (server !== 'steward' || ratio === undefined) continue
    const isDoubtful = doubtful || find('raw', operation)?.doubtful === true
    const least = wanted.ratios[operation]
    verdicts.push({
      text: `${operation}: ${ratio.toFixed(2)} of raw, wanted ${least}`,
      met: ratio >= least,
      doubtful: isDoubtful,
    })
  }
  const get = find('steward', 'get')
  for (const [peer, least] of Object.entries(multiples) as [ServerName, number][]) {
    const other = find(peer, 'get')
    if (get === undefined || other === undefined) continue
    const multiple = get.perSecond / other.perSecond
    verdicts.push({
      text: `get: ${multiple.toFixed(1)} × ${peer}, wanted ${least}`,
      met: multiple >= least,
      doubtful: get.doubtful || other.doubtful,
    })
  }
  const most = memory.find(({ server }) => server === 'steward')?.mostMiB
  if (most !== undefined)
    verdicts.push({
      text: `memory: ${most.toFixed(0)} MiB, wanted ${wanted.mostMiB}`,
      met: most <= wanted.mostMiB,
      doubtful: false,
    })
  return verdicts
}
