import type { BenchDatabase } from './databases.ts'
import { load } from './load.ts'
import { cpuSeconds, familySeconds, machineSeconds, memory } from './machine.ts'
import type { OperationName } from './operations.ts'
import type { Options } from './options.ts'
import type { ServerProcess } from './process.ts'
import type { ServerName } from './servers.ts'

/** Other work on the machine above this many cores makes a sample doubtful. */
export const calmCores = 0.15

export interface Sample {
  readonly server: ServerName
  readonly operation: OperationName
  readonly round: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU microseconds per request, of the server and of the database process (0 for SQLite, which is inside the server). */
  readonly serverMicros: number
  readonly databaseMicros: number
  /** Highest resident memory of the server so far. */
  readonly mostMiB: number
  /** Cores that were busy with neither the bench, nor the server, nor the database. */
  readonly otherCores: number
}

/** One sample of one server: some load that is not counted, then the load that is. */
export async function measure(
  database: BenchDatabase,
  server: ServerProcess,
  operation: OperationName,
  round: number,
  options: Options,
): Promise<Sample> {
  const common = { port: server.port, operation, connections: options.connections, items: options.items }
  if (options.warmup > 0) await load({ ...common, seconds: options.warmup })
  const before = meter(database, server)
  const result = await load({ ...common, seconds: options.seconds })
  const after = meter(database, server)
  const other = after.machine - before.machine - (after.server - before.server) - (after.database - before.database)
  return {
    server: server.name,
    operation,
    round,
    perSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    serverMicros: ((after.server - before.server) / result.requests) * 1e6,
    databaseMicros: ((after.database - before.database) / result.requests) * 1e6,
    mostMiB: memory(server.pid).mostMiB,
    otherCores: Math.max(0, (other - (after.bench - before.bench)) / ((after.at - before.at) / 1000)),
  }
}

function meter(database: BenchDatabase, server: ServerProcess) {
  return {
    at: performance.now(),
    machine: machineSeconds(),
    server: cpuSeconds(server.pid),
    database: database.pid === undefined ? 0 : familySeconds(database.pid),
    // With the load generators that have ended.
    bench: cpuSeconds(process.pid),
  }
}
