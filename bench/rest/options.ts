import { parseArgs } from 'node:util'
import { databaseKinds, type DatabaseKind } from './databases.ts'
import { operationNames, type OperationName } from './operations.ts'
import { serverNames, type ServerName } from './servers.ts'

export interface Options {
  readonly databases: readonly DatabaseKind[]
  readonly servers: readonly ServerName[]
  readonly operations: readonly OperationName[]
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly retries: number
  readonly connections: number
  readonly items: number
  readonly stream: boolean
  /** Tables that another owner made. */
  readonly existing: boolean
  readonly json: string | undefined
}

export const help = `Usage: npm run bench -- [options]

Measures this project against the raw driver, a hand-written Koa + knex handler and Feathers, on the same data.

  --databases <list>    ${databaseKinds.join(',')} (default: all)
  --servers <list>      ${serverNames.join(',')} (default: all)
  --operations <list>   ${operationNames.join(',')} (default: all)
  --seconds <n>         length of a sample, default 8
  --warmup <n>          load before each sample that is not counted, in seconds, default 1
  --rounds <n>          samples per server and operation, default 2
  --retries <n>         a sample that met other work on the machine is repeated this often at most, default 1
  --connections <n>     connections of the load generator, default 16
  --items <n>           rows of the table, default 100000
  --existing            on tables that somebody else made, in the database's collation (PostgreSQL only)
  --no-stream           leave out the memory check of a search that streams all rows
  --json <file>         write all samples and results to a file as well
  --help                this text

npm run bench -- keys --help: keys of several columns against a row id.
npm run bench -- pivot --help: pivot tables against the raw GROUP BY.

The table goes to stdout, progress and warnings to stderr. bench/README.md says how to read it.
`

/** Parses the command line; `undefined` when help was asked for. Throws an Error with one clear line. */
export function parseOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    allowNegative: true,
    options: {
      databases: { type: 'string', default: databaseKinds.join(',') },
      servers: { type: 'string', default: serverNames.join(',') },
      operations: { type: 'string', default: operationNames.join(',') },
      seconds: { type: 'string', default: '8' },
      warmup: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '2' },
      retries: { type: 'string', default: '1' },
      connections: { type: 'string', default: '16' },
      items: { type: 'string', default: '100000' },
      stream: { type: 'boolean', default: true },
      existing: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    databases: list('databases', values.databases, databaseKinds),
    servers: list('servers', values.servers, serverNames),
    operations: list('operations', values.operations, operationNames),
    seconds: whole('seconds', values.seconds, 1),
    warmup: whole('warmup', values.warmup, 0),
    rounds: whole('rounds', values.rounds, 1),
    retries: whole('retries', values.retries, 0),
    connections: whole('connections', values.connections, 1),
    items: whole('items', values.items, 1000),
    stream: values.stream,
    existing: values.existing,
    json: values.json,
  }
}

/** Names of a list, in the order in which they are known. */
export function list<T extends string>(name: string, text: string, known: readonly T[]): T[] {
  const asked = text.split(',').filter(Boolean)
  const unknown = asked.find((entry) => !(known as readonly string[]).includes(entry))
  if (unknown !== undefined || asked.length === 0) {
    throw new Error(`--${name}: "${unknown ?? text}" is not one of ${known.join(', ')}`)
  }
  return known.filter((entry) => asked.includes(entry))
}

export function whole(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${name}: "${text}" is not a whole number of ${least} or more`)
  return value
}
