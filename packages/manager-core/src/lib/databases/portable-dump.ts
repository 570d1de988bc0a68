import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { dumpWithTool, restoreWithTool } from '@steward/db-adapters/server'
import type { Dump, DumpOptions, ToolCall } from '@steward/db-adapters/server'
import { ManagerError } from '../../errors.js'
import { accountAt, withoutLoader } from '../accounts/account.js'
import { foreignKind } from '../accounts/foreign.js'
import { applicationServerOf } from '../servers/application-server.js'
import { launchIn, launchOf } from './launch.js'
import type { DatabaseContext, InstanceDatabase } from './instance-database.js'
import { toManagerError } from './translated-server.js'

/**
 * How long the application server may neither read nor write: it runs code of the instance. Not specified; chosen as longer than
 * it looks for records, or makes an index. Tests shorten it.
 */
export const portableSilence = { limitMs: 30 * 60_000 }

/**
 * Dumps by the application server: records in a format that fits every type of database. Without tables that are not
 * of the application.
 *
 * @param app Folder of the application.
 */
export function dumpPortable(
  context: DatabaseContext,
  database: InstanceDatabase,
  app: string,
  { signal, onProgress, silenceMs = portableSilence.limitMs }: DumpOptions,
): Dump {
  return dumpWithTool({
    call: callOf(context, database, app, '--dump', signal),
    // The application server fails when the dump is not whole.
    trailer: '',
    tools: { 'app-server': process.version },
    translate: toManagerError,
    onProgress,
    silenceMs,
  })
}

/** @throws ManagerError ERR_DATABASE; nothing is kept then. */
export async function restorePortable(
  context: DatabaseContext,
  database: InstanceDatabase,
  app: string,
  content: Readable,
  { signal, onProgress, silenceMs = portableSilence.limitMs }: DumpOptions,
): Promise<void> {
  try {
    const call = callOf(context, database, app, '--load', signal)
    await restoreWithTool({ call, content, trailer: '', onProgress, silenceMs })
  } catch (error) {
    throw toManagerError(error)
  }
}

/** The application of one of these homes. @throws ManagerError ERR_DATABASE when there is none. */
export function applicationOf(...folders: readonly string[]): string {
  const app = folders
    .map((folder) => join(folder, 'app'))
    .find((folder) => foreignKind(join(folder, 'app.yaml')) !== undefined)
  if (app !== undefined) return app
  throw new ManagerError(
    'ERR_DATABASE',
    `Records cannot be read or written without their application in ${folders[0]}.`,
  )
}

function callOf(
  context: DatabaseContext,
  { folder, settings }: InstanceDatabase,
  app: string,
  task: '--dump' | '--load',
  signal: AbortSignal | undefined,
): ToolCall {
  const { databases } = context
  const url = databases.server(settings.database).url(databases.account(folder, settings))
  const account = accountAt(folder)
  // What starts the program does so as root, and must load nothing that the instance names.
  const { assigned, rest } = withoutLoader({
    ...(account && { HOME: join(folder, 'data'), TMPDIR: '/tmp' }),
    ...settings.others,
    STEWARD_DATABASE: url,
  })
  const server = [process.execPath, applicationServerOf(context, app)] as const
  const [command, ...before] = [...assigned, ...server]
  return {
    command,
    launch: account ? launchIn(folder) : launchOf(join(folder, 'data', 'any'), ''),
    args: [...before, app, '--data', join(folder, 'data'), task, '-'],
    environment: rest,
    signal,
  }
}
