import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { DatabaseServerError } from '@steward/db-adapters/server'
import type { DatabaseServer, DatabaseServerErrorCode } from '@steward/db-adapters/server'
import { ManagerError, type ManagerErrorCode } from '../../errors.js'

const help: Readonly<Partial<Record<DatabaseServerErrorCode, string>>> = {
  ERR_UNREACHABLE: 'Start the database server, or correct host and port in config.sh.',
  ERR_CREDENTIALS: 'Correct the user and password of the database server in config.sh.',
  ERR_DISK_FULL: 'Free disk space.',
  ERR_DUMP: 'Restore another backup; or take that line out when you trust where the dump comes from.',
  ERR_MARK: 'Use it in the home that it is marked with. If that home is no longer used, take over what it had.',
}

/** For SQLite, whose databases are files. */
const helpForFiles: typeof help = {
  ...help,
  ERR_UNREACHABLE: 'Check that the file and its folder are there, and belong to the instance: manager doctor instances',
  ERR_CREDENTIALS: 'Check that the file and its folder belong to the instance: manager doctor instances',
}

const codes: Readonly<Partial<Record<DatabaseServerErrorCode, ManagerErrorCode>>> = {
  ERR_DISK_FULL: 'ERR_DISK',
  ERR_DUMP: 'ERR_BACKUP',
  ERR_MARK: 'ERR_STATE',
}

/** The server with errors of the manager; their cause is the `DatabaseServerError`. */
export function translated(server: DatabaseServer): DatabaseServer {
  const advice = server.capabilities.server ? help : helpForFiles
  const attempt = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw toManagerError(error, advice)
    }
  }
  return {
    type: server.type,
    capabilities: server.capabilities,
    probe: (signal) => attempt(server.probe(signal)),
    exists: (account) => attempt(server.exists(account)),
    isEmpty: (account) => attempt(server.isEmpty(account)),
    create: (account) => attempt(server.create(account)),
    drop: (account) => attempt(server.drop(account)),
    marks: (account) => attempt(server.marks(account)),
    mark: (account) => attempt(server.mark(account)),
    async dump(account, options) {
      const dump = await attempt(server.dump(account, options))
      const done = attempt(dump.done)
      done.catch(() => {})
      return { ...dump, content: translatedContent(dump.content, advice), done }
    },
    async dumpDirectly(account) {
      const dump = await attempt(server.dumpDirectly?.(account) ?? Promise.resolve(undefined))
      return dump && { ...dump, into: (output, options) => attempt(dump.into(output, options)) }
    },
    restore: (account, content, options) => attempt(server.restore(account, content, options)),
    copy: (from, to, options) => attempt(server.copy(from, to, options)),
    url: (account) => server.url(account),
    client: (account) => attempt(server.client(account)),
    extent: (account) => attempt(server.extent(account)),
    statistics: (account) => attempt(server.statistics(account)),
    changedSince: (account, since) => attempt(server.changedSince(account, since)),
    close: () => server.close(),
  }
}

/** Whether the vendor's program is what is missing. */
export function isMissingTool(error: unknown): boolean {
  return ManagerError.is(error) && (error.cause as DatabaseServerError | undefined)?.code === 'ERR_NO_TOOL'
}

/** An error of a database server as one of the manager; others stay what they are. */
export function toManagerError(error: unknown, advice = help): Error {
  if (!DatabaseServerError.is(error)) return error as Error
  return new ManagerError(codes[error.code] ?? 'ERR_DATABASE', error.message, {
    cause: error,
    ...(advice[error.code] !== undefined && { help: advice[error.code] }),
    ...(error.code === 'ERR_MARK' && { command: 'doctor --adopt' }),
    ...(error.output !== undefined && { output: error.output }),
  })
}

function translatedContent(content: Readable, advice: typeof help): Readable {
  const translatedOne = new PassThrough()
  content.once('error', (error) => translatedOne.destroy(toManagerError(error, advice)))
  translatedOne.once('close', () => content.destroy())
  // There may be no reader.
  translatedOne.on('error', () => {})
  return content.pipe(translatedOne)
}
