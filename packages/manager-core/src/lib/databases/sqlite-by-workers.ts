import { fileURLToPath } from 'node:url'
import {
  canTie,
  copyThrough,
  DatabaseServerError,
  dumpWithTool,
  restoreWithTool,
  runInto,
} from '@steward/db-adapters/server'
import type {
  DatabaseAccount,
  DatabaseExtent,
  DatabaseServer,
  DatabaseServerErrorCode,
  DatabaseStatistics,
  DirectDump,
  ToolCall,
} from '@steward/db-adapters/server'
import type { ForeignEnd } from '../accounts/foreign-program.js'
import { askWorker } from '../accounts/foreign-worker.js'
import { launchOf } from './launch.js'

// Node runs the source as it is, so tests need no build.
const name = import.meta.url.endsWith('.ts') ? './sqlite.worker.ts' : './sqlite.worker.js'
const program = fileURLToPath(new URL(name, import.meta.url))

const argumentsOf = ['--disable-warning=ExperimentalWarning', program]

/** How long calls may take. Tests shorten it. */
export const patience = {
  /** Not specified; chosen as much longer than SQLite waits for a lock. */
  answerMs: 60_000,
  /** Where rows are counted. Not specified; chosen as longer than it takes to read a database of 100 GB. */
  countMs: 30 * 60_000,
}
/** Not specified; chosen as the names of some 100,000 tables. */
const longestAnswer = 16 * 2 ** 20
/** Not specified; chosen as what a person reads. */
const longestOutput = 4_000

export interface SqliteWorkerOptions {
  /** Ends each call after this time, in ms. Default: 1 minute; 30 minutes where rows are counted. */
  readonly limitMs?: number
}

/** All of a server, also what is optional, so that a new method of it must be listed here. */
type WholeServer = { readonly [Name in keyof Required<DatabaseServer>]: Required<DatabaseServer>[Name] }

/**
 * Embedded databases, each file in a process of its own: it may be whatever its instance put there, a link to another
 * one's database, say. That process is of the instance's account, or has no capabilities; what ends it, such as a file
 * that is cut while it is read, ends no other; and it is ended when a call takes too long. It answers the calls for this
 * file that come soon after each other; a dump and a restore have one each.
 *
 * @param server answers what needs no file
 */
export function sqliteByWorkers(server: DatabaseServer, { limitMs }: SqliteWorkerOptions = {}): DatabaseServer {
  const quick = limitMs ?? patience.answerMs
  const counting = limitMs ?? patience.countMs
  const silenceMs = limitMs
  const whole: WholeServer = {
    type: server.type,
    capabilities: server.capabilities,
    probe: (signal) => server.probe(signal),
    url: (database) => server.url(database),
    close: () => server.close(),
    client: (database) => server.client({ ...database, launch: launchFor(database) }),
    exists: (database) => answer(['exists', database], quick, isOneOf('no', 'partial', 'yes')),
    isEmpty: (database) => answer(['isEmpty', database], quick, isBoolean),
    create: (database) => answer(['create', database], quick, isNothing),
    drop: (database) => answer(['drop', database], quick, isNothing),
    extent: (database) => answer(['extent', database], quick, isExtent),
    statistics: (database) => answer(['statistics', database], counting, isStatistics),
    changedSince: (database, since) => answer(['changedSince', database, since], counting, isCounts),
    dump,
    marks: (database) => server.marks(database),
    mark: (database) => server.mark(database),
    dumpDirectly,
    restore,
    async copy(from, to, options = {}) {
      const { signal, warn } = options
      await copyThrough(await dump(from, options), (content) => restore(to, content, { signal }), warn)
    },
  }
  return whole

  async function dump(...[database, options = {}]: Parameters<DatabaseServer['dump']>) {
    const call = { ...callOf('dump', database), signal: options.signal }
    const { server: sqlite } = await server.probe()
    const tools = { sqlite }
    return dumpWithTool({ silenceMs, ...options, call, trailer: '', tools, translate: errorOf(database) })
  }

  async function dumpDirectly(database: DatabaseAccount): Promise<DirectDump | undefined> {
    const call = callOf('dump', database, '--report')
    if (!(await canTie())) return undefined
    const { server: sqlite } = await server.probe()
    return {
      tools: { sqlite },
      trailer: '',
      async into(output, { signal, onBegun = () => {}, ...options } = {}) {
        try {
          await runInto({ ...call, signal }, output, { silenceMs, ...options, onBegun })
        } catch (error) {
          throw errorOf(database)(error)
        }
      },
    }
  }

  async function restore(...[database, content, options = {}]: Parameters<DatabaseServer['restore']>) {
    const call = { ...callOf('restore', database), signal: options.signal }
    try {
      await restoreWithTool({ silenceMs, ...options, call, content, trailer: '' })
    } catch (error) {
      throw errorOf(database)(error)
    }
  }
}

/** @throws DatabaseServerError ERR_CREDENTIALS when the account is gone */
function launchFor({ name: file, user }: DatabaseAccount) {
  const launch = launchOf(file, user)
  if (launch) return launch
  throw new DatabaseServerError(
    'ERR_CREDENTIALS',
    `The system account "${user}", which owns ${file}, does not exist on this machine.`,
  )
}

/** @throws DatabaseServerError ERR_CREDENTIALS when the account is gone */
function callOf(verb: 'dump' | 'restore', database: DatabaseAccount, ...options: readonly '--report'[]): ToolCall {
  const args = [...argumentsOf, verb, database.name, ...options]
  return { command: process.execPath, args, launch: launchFor(database) }
}

async function answer<T>(
  [verb, database, argument]: readonly [verb: string, database: DatabaseAccount, argument?: unknown],
  limitMs: number,
  isAnswer: (value: unknown) => value is T,
): Promise<T> {
  const file = database.name
  const launched = launchFor(database)(process.execPath)
  const answered = await askWorker({
    program: launched.command,
    // Not the file: the process may outlive it, and does not belong to its instance.
    args: [...launched.args, ...argumentsOf],
    environment: { PATH: process.env['PATH'], ...launched.environment },
    subject: file,
    request: JSON.stringify([file, verb, argument]),
    limitMs,
    longest: longestAnswer,
  })
  if (!('line' in answered)) throw withoutAnswer(answered, file, limitMs)
  const said = parsed(answered.line)
  if (isRecord(said)) {
    const failure = failureIn(said['failure'])
    if (failure) throw failure
    const { result } = said
    if (!('failure' in said) && isAnswer(result)) return result
  }
  throw new DatabaseServerError(
    'ERR_FAILED',
    `The database ${file} could not be used: its process answered something else.`,
  )
}

function withoutAnswer({ signal, stderr, ended, error }: ForeignEnd, file: string, limitMs: number): Error {
  if (error)
    return new DatabaseServerError('ERR_FAILED', `Cannot run ${process.execPath}: ${error.message}`, { cause: error })
  if (ended === 'late')
    return new DatabaseServerError(
      'ERR_FAILED',
      `The database ${file} could not be used within ${limitMs / 1000} s: it may be locked or damaged.`,
    )
  if (signal !== undefined && ended === undefined) return endedBy(signal, file)
  const output = stderr.slice(-longestOutput)
  return new DatabaseServerError('ERR_FAILED', `The database ${file} could not be used.`, { output })
}

function endedBy(signal: string, file: string): DatabaseServerError {
  return new DatabaseServerError(
    'ERR_FAILED',
    `The process that used the database ${file} was ended by ${signal}: the file may have been changed meanwhile, or be damaged.`,
  )
}

/** What the program said. Its account could have written that, too. */
function errorOf({ name: file }: DatabaseAccount): (error: unknown) => Error {
  return (error) => {
    if (!DatabaseServerError.is(error)) return error as Error
    const failure = failureIn(parsed(error.output?.trim().split('\n').at(-1) ?? ''), error)
    if (failure) return failure
    const signal = /was ended by (SIG[A-Z]+)/.exec(error.message)?.[1]
    return signal === undefined || error.output ? error : endedBy(signal, file)
  }
}

function failureIn(said: unknown, cause?: Error): DatabaseServerError | undefined {
  if (!isRecord(said) || !isCode(said['code']) || typeof said['message'] !== 'string') return undefined
  return new DatabaseServerError(said['code'], plain(said['message']), cause && { cause })
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Not specified; chosen as what a person reads. */
const longestMessage = 1000

function plain(text: string): string {
  return text.slice(0, longestMessage).replaceAll(/\p{Cc}/gu, ' ')
}

const codes: Readonly<Record<DatabaseServerErrorCode, true>> = {
  ERR_UNREACHABLE: true,
  ERR_CREDENTIALS: true,
  ERR_NO_TOOL: true,
  ERR_EXISTS: true,
  ERR_NOT_FOUND: true,
  ERR_DISK_FULL: true,
  ERR_DUMP: true,
  ERR_MARK: true,
  ERR_FAILED: true,
}

const isCode = (value: unknown): value is DatabaseServerErrorCode =>
  typeof value === 'string' && Object.hasOwn(codes, value)
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isNothing = (value: unknown): value is void => value === undefined
const isCount = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isCounts = (value: unknown): value is Readonly<Record<string, number>> =>
  isRecord(value) && Object.values(value).every(isCount)
const isStatistics = (value: unknown): value is DatabaseStatistics =>
  isRecord(value) && isCounts(value['rows']) && isCount(value['bytes'])
const isExtent = (value: unknown): value is DatabaseExtent =>
  isRecord(value) &&
  isCount(value['bytes']) &&
  Array.isArray(value['tables']) &&
  value['tables'].every((each) => typeof each === 'string')

function isOneOf<T extends string>(...values: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => values.includes(value as T)
}
