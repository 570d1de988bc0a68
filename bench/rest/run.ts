import { writeFile } from 'node:fs/promises'
import { check } from './check.ts'
import { startDatabase, type BenchDatabase, type DatabaseKind } from './databases.ts'
import { describeMachine, requireMachine } from './machine.ts'
import { calmCores, measure, type Sample } from './measure.ts'
import { operations, type OperationName } from './operations.ts'
import { help, parseOptions, type Options } from './options.ts'
import { removeCache, startServer, type ServerProcess } from './process.ts'
import { formatResult, type DatabaseResult } from './report.ts'
import { demands } from './servers.ts'
import { measureStream, type StreamResult } from './stream.ts'
import { summarize } from './summary.ts'
import { removeAbandonedFolders } from './test-servers.ts'

/** Measures all servers on one database. */
async function benchDatabase(kind: DatabaseKind, options: Options): Promise<DatabaseResult> {
  progress(`${kind}: filling ${options.items} rows`)
  const database = await startDatabase(kind, options.items, options.existing)
  const servers: ServerProcess[] = []
  try {
    for (const name of options.servers) servers.push(await startServer(name, database.target))
    progress(`${database.title}: comparing the answers of ${options.servers.join(', ')}`)
    await check(database, servers)
    const samples = await takeSamples(database, servers, options)
    const memory = servers.map(({ name, idleMiB }) => ({
      server: name,
      idleMiB,
      mostMiB: Math.max(...samples.filter(({ server }) => server === name).map(({ mostMiB }) => mostMiB)),
    }))
    const streams: StreamResult[] = []
    for (const name of options.stream ? options.servers.filter((each) => demands[each].streams) : []) {
      progress(`${database.title}: streaming all rows from ${name}`)
      streams.push(...(await measureStream(name, database.target, options.items)))
    }
    return { kind, title: database.title, samples, memory, streams }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await database.close()
  }
}

/** Servers take turns, in the other order in every second round, so that slow minutes of the machine hit all alike. */
async function takeSamples(
  database: BenchDatabase,
  servers: readonly ServerProcess[],
  options: Options,
): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const operation of options.operations) {
    const measured = servers.filter(
      ({ name }) =>
        (operations[operation].writes || !demands[name].writesOnly) &&
        !(operation === 'searchOr' && demands[name].withoutOr),
    )
    for (let round = 1; round <= options.rounds; round++) {
      for (const server of round % 2 === 1 ? measured : measured.toReversed()) {
        samples.push(await takeSample(database, server, operation, round, options))
      }
    }
  }
  return samples
}

/** One sample, or the calmest of several when there was other work on the machine. */
async function takeSample(
  database: BenchDatabase,
  server: ServerProcess,
  operation: OperationName,
  round: number,
  options: Options,
): Promise<Sample> {
  let calmest: Sample | undefined
  for (let attempt = 0; attempt <= options.retries; attempt++) {
    const sample = await measure(database, server, operation, round, options)
    if (operations[operation].writes) await database.tidy()
    const noise = sample.otherCores > calmCores ? `, other work took ${sample.otherCores.toFixed(2)} core` : ''
    const title = `${database.title}: ${operation} ${round}/${options.rounds} ${server.name}`
    progress(`${title} ${sample.perSecond.toFixed(0)}/s${noise}`)
    if (calmest === undefined || sample.otherCores < calmest.otherCores) calmest = sample
    if (noise === '') break
  }
  return calmest!
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function main(): Promise<void> {
  const [first, ...others] = process.argv.slice(2)
  if (first === 'index') return (await import('./index-search.ts')).benchIndexSearches(others)
  if (first === 'pages') return (await import('./pages.ts')).benchPages(others)
  if (first === 'keys') return (await import('./keys.ts')).benchKeys(others)
  if (first === 'pivot') return (await import('./pivot.ts')).benchPivots(others)
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) return void process.stdout.write(help)
  removeAbandonedFolders()
  await requireMachine()
  const { seconds, rounds, connections, items } = options
  console.log(`${describeMachine()}\n${items} items, ${rounds} × ${seconds} s, ${connections} connections\n`)
  const results: DatabaseResult[] = []
  for (const kind of options.databases) {
    const result = await benchDatabase(kind, options)
    console.log(`${formatResult(result)}\n`)
    results.push(result)
  }
  if (options.json === undefined) return
  const databases = results.map((result) => ({ ...result, summaries: summarize(result.samples) }))
  const report = { date: new Date().toISOString(), machine: describeMachine(), options, databases }
  await writeFile(options.json, `${JSON.stringify(report, undefined, 2)}\n`)
}

try {
  await main()
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`)
  if (process.env['DEBUG'] !== undefined) console.error(error)
  process.exitCode = 1
} finally {
  await removeCache()
}
