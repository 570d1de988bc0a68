import { abortable } from '../abortable.js'
import type { RemoteEntry, RemoteFiles } from '../remote-files/remote-files.js'
import { exists } from '../parts.js'
import type { SharedConnection } from './shared-connection.js'
import { text, type FileAttributes } from './sftp/packet.js'
import { readFile } from './read.js'
import type { SftpClient } from './sftp/client.js'
import { isStatus, SftpError, status, targetErrorOf } from './sftp/error.js'
import { isFolder, type SftpSession } from './session.js'
import { writeFile } from './write.js'

const readFlag = 0x1

export interface SftpFilesOptions {
  /** Renaming fails when there is a file of the new name, also when that was made at this moment. */
  readonly movesExclusively: boolean
  /** How the server tells the SHA-256 of a file, by its absolute path, when it can. */
  readonly hash: ((session: SftpSession, path: string, signal?: AbortSignal) => Promise<string>) | undefined
}

/** Files of a server by SFTP. */
export function sftpFiles(
  sessions: SharedConnection<SftpSession>,
  { movesExclusively, hash }: SftpFilesOptions,
): RemoteFiles {
  const use = <T>(
    path: string,
    attempt: string,
    signal: AbortSignal | undefined,
    call: (client: SftpClient, absolute: string, session: SftpSession) => Promise<T>,
  ) =>
    sessions
      .use(signal, (session) => call(session.client, session.path(path), session))
      .catch((error: unknown) => Promise.reject(targetErrorOf(error, `Cannot ${attempt} "${path}"`) as Error))

  const statOf = async (client: SftpClient, absolute: string) => {
    const found = await unlessMissing(client.lstat(absolute))
    return found && isFile(found.permissions) ? { size: found.size, modified: dateOf(found) } : undefined
  }

  return {
    movesExclusively,

    stat: (path, signal) => use(path, 'look at', signal, statOf),

    list: (folder, signal) =>
      use(folder, 'list', signal, async (client, absolute) => {
        const handle = await unlessMissing(client.openFolder(absolute))
        if (!handle) return []
        const entries: RemoteEntry[] = []
        try {
          for (;;) {
            const some = await client.readFolder(handle)
            if (some.length === 0) return entries
            for (const each of some)
              if (each.name !== '.' && each.name !== '..')
                entries.push({ name: each.name, size: each.size, modified: dateOf(each), kind: kindOf(each) })
          }
        } finally {
          client.closeQuietly(handle)
        }
      }),

    write: (path, start, chunks, options) =>
      use(path, 'write', options.signal, (_client, _absolute, session) =>
        writeFile(session, path, start, chunks, options),
      ),

    async read(path, start, end, signal) {
      const lease = await sessions.lease(signal)
      const { client } = lease.connection
      try {
        const handle = await abortable(client.open(lease.connection.path(path), readFlag), signal)
        return readFile(lease, handle, path, start, end, signal)
      } catch (error) {
        lease.release(signal?.aborted === true)
        throw targetErrorOf(error, `Cannot read "${path}"`)
      }
    },

    move: (from, to, replace, signal) =>
      use(to, 'rename a file to', signal, async (client, target, session) => {
        const source = session.path(from)
        if (!replace && movesExclusively && (await isLinked(client, source, target))) {
          await client.remove(source)
          return
        }
        if (replace && client.has(posixRename)) {
          await client.extended(posixRename, text(source), text(target))
          return
        }
        const isThere = (await statOf(client, target)) !== undefined
        if (isThere && !replace) throw exists(to)
        // Such a server cannot do it at once.
        if (isThere) await client.remove(target)
        await client.rename(source, target)
      }),

    remove: (path, signal) =>
      use(path, 'remove', signal, async (client, absolute) => {
        if (!(await statOf(client, absolute))) return false
        return (await unlessMissing(client.remove(absolute).then(() => true))) ?? false
      }),

    removeFolder: (path, signal) =>
      use(path, 'remove', signal, async (client, absolute) => {
        try {
          await client.removeFolder(absolute)
          return true
        } catch (error) {
          if (error instanceof SftpError) return false
          throw error
        }
      }),

    ...(hash && {
      sha256: (path, signal) =>
        use(path, 'hash', signal, (_client, absolute, session) => hash(session, absolute, signal)),
    }),

    close() {
      sessions.close()
      return Promise.resolve()
    },
  }
}

const posixRename = 'posix-rename@openssh.com'
const hardLink = 'hardlink@openssh.com'

/** Gives a file another name, unless there is one of that name; false: there is, or its disk has no such links. */
async function isLinked(client: SftpClient, source: string, target: string): Promise<boolean> {
  try {
    await client.extended(hardLink, text(source), text(target))
    return true
  } catch (error) {
    if (error instanceof SftpError) return false
    throw error
  }
}

/** Whether files can be linked; some servers only say so. */
export async function canLink(session: SftpSession): Promise<boolean> {
  const { client } = session
  if (!client.has(hardLink)) return false
  const nothing = '.steward-no-such-file'
  return client.extended(hardLink, text(session.path(nothing)), text(session.path(`${nothing}-either`))).then(
    () => false,
    (error: unknown) => isStatus(error, status.noSuchFile),
  )
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isStatus(error, status.noSuchFile)) return undefined
    throw error
  }
}

function kindOf({ permissions }: FileAttributes): RemoteEntry['kind'] {
  if (isFile(permissions)) return 'file'
  return isFolder(permissions) ? 'folder' : 'other'
}

function isFile(permissions: number): boolean {
  return (permissions & 0o170_000) === 0o100_000
}

function dateOf({ modified }: FileAttributes): Date {
  return new Date(modified * 1000)
}
