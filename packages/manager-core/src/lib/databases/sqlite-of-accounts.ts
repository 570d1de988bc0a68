import { fileURLToPath } from 'node:url'
import { copyThrough, DatabaseServerError, dumpWithTool, restoreWithTool } from '@steward/db-adapters/server'
import type { DatabaseAccount, DatabaseServer, DatabaseServerErrorCode, ToolCall } from '@steward/db-adapters/server'
import { asAccount } from '../accounts/account.js'
import { findAccount } from '../accounts/find-account.js'

// Node runs the source as it is, so tests need no build.
const name = import.meta.url.endsWith('.ts') ? './sqlite.worker.ts' : './sqlite.worker.js'
const program = fileURLToPath(new URL(name, import.meta.url))

/**
 * The same server; a database whose user is a system account is only touched by a process of that account: its file may
 * be whatever the instance put there, a link to another one's database, say.
 */
export function sqliteOfAccounts(server: DatabaseServer): DatabaseServer {
  const isOwn = ({ user }: DatabaseAccount) => user === ''
  const dump: DatabaseServer['dump'] = async (database, options = {}) => {
    if (isOwn(database)) return server.dump(database, options)
    const call = { ...callOf('dump', database), signal: options.signal }
    const { server: sqlite } = await server.probe()
    return dumpWithTool({ call, trailer: '', tools: { sqlite }, translate: translated, onProgress: options.onProgress })
  }
  const restore: DatabaseServer['restore'] = async (database, content, options = {}) => {
    if (isOwn(database)) return server.restore(database, content, options)
    const call = { ...callOf('restore', database), signal: options.signal }
    await restoreWithTool({ call, content, trailer: '', onProgress: options.onProgress }).catch((error: unknown) => {
      throw translated(error)
    })
  }
  return {
    ...server,
    exists: (database) => (isOwn(database) ? server.exists(database) : answer('exists', database)),
    create: (database) => (isOwn(database) ? server.create(database) : answer('create', database)),
    drop: (database) => (isOwn(database) ? server.drop(database) : answer('drop', database)),
    extent: (database) => (isOwn(database) ? server.extent(database) : answer('extent', database)),
    statistics: (database) => (isOwn(database) ? server.statistics(database) : answer('statistics', database)),
    changedSince: (database, since) =>
      isOwn(database) ? server.changedSince(database, since) : answer('changedSince', database, since),
    dump,
    restore,
    async copy(from, to, options) {
      if (isOwn(from) && isOwn(to)) return server.copy(from, to, options)
      return copyThrough(await dump(from, options), (content) => restore(to, content, { signal: options?.signal }))
    },
  }
}

/** @throws DatabaseServerError ERR_CREDENTIALS when the account is gone */
function callOf(verb: string, { name: file, user }: DatabaseAccount, argument?: unknown): ToolCall {
  const account = findAccount(user)
  if (!account)
    throw new DatabaseServerError(
      'ERR_CREDENTIALS',
      `The system account "${user}", which owns ${file}, does not exist on this machine.`,
    )
  const [command, before] = asAccount(account, process.execPath)
  return {
    command,
    args: [
      ...before,
      '--disable-warning=ExperimentalWarning',
      program,
      verb,
      file,
      ...(argument === undefined ? [] : [JSON.stringify(argument)]),
    ],
    environment: { HOME: '/', TMPDIR: '/tmp' },
  }
}

async function answer<T>(verb: string, database: DatabaseAccount, argument?: unknown): Promise<T> {
  const { command, args, environment } = callOf(verb, database, argument)
  const { execa } = await import('execa')
  const { failed, stdout, stderr, shortMessage } = await execa(command, args, {
    env: { ...environment, PATH: process.env['PATH'] ?? '' },
    extendEnv: false,
    stdin: 'ignore' as const,
    reject: false as const,
  })
  if (failed) throw translated(new DatabaseServerError('ERR_FAILED', shortMessage ?? 'It failed.', { output: stderr }))
  return (stdout === '' ? undefined : JSON.parse(stdout)) as T
}

/** What the program said. */
function translated(error: unknown): Error {
  if (!DatabaseServerError.is(error)) return error as Error
  const last = error.output?.trim().split('\n').at(-1) ?? ''
  if (!last.startsWith('{')) return error
  const { code, message } = JSON.parse(last) as { code: DatabaseServerErrorCode; message: string }
  return new DatabaseServerError(code, message, { cause: error })
}
