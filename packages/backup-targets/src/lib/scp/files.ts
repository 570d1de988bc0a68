import type { RemoteFiles } from '../remote-files/remote-files.js'
import type { SftpConnections } from './connections.js'
import { sftpError } from './errors.js'
import { hashFile } from './hash.js'
import { listFolder, readFile, statFile } from './read.js'
import { removeFile, removeFolder } from './remove.js'
import type { SftpSession } from './session.js'
import { moveFile, writeFile } from './write.js'

export interface SftpFilesOptions {
  /** Renaming fails when there is a file of the new name, also when that was made at this moment. */
  readonly movesExclusively: boolean
  /** Command that prints the SHA-256 of a file; undefined: the server has none. */
  readonly hasher: string | undefined
}

/** Files of a server by SFTP. */
export function sftpFiles(connections: SftpConnections, { movesExclusively, hasher }: SftpFilesOptions): RemoteFiles {
  const use = <T>(
    path: string,
    attempt: string,
    signal: AbortSignal | undefined,
    call: (session: SftpSession, absolute: string) => Promise<T>,
  ) =>
    connections
      .use(signal, (session) => call(session, session.path(path)))
      .catch((error: unknown) => Promise.reject(sftpError(error, `Cannot ${attempt} "${path}"`) as Error))

  const files: RemoteFiles = {
    movesExclusively,
    stat: (path, signal) => use(path, 'look at', signal, ({ client }, absolute) => statFile(client, absolute)),
    list: (folder, signal) => use(folder, 'list', signal, ({ client }, absolute) => listFolder(client, absolute)),
    write: (path, start, chunks, options) =>
      use(path, 'write', options.signal, (session) => writeFile(session, path, start, chunks, options)),
    read: (path, start, end, signal) => readFile(connections, path, start, end, signal),
    move: (from, to, replace, signal) =>
      use(to, 'rename a file to', signal, (session) =>
        moveFile(session, from, to, { replace, exclusively: movesExclusively }),
      ),
    remove: (path, signal) => use(path, 'remove', signal, ({ client }, absolute) => removeFile(client, absolute)),
    removeFolder: (path, signal) =>
      use(path, 'remove', signal, ({ client }, absolute) => removeFolder(client, absolute)),
    close: () => Promise.resolve(connections.close()),
  }
  if (hasher === undefined) return files
  return {
    ...files,
    sha256: (path, signal) =>
      use(path, 'hash', signal, (session, absolute) => hashFile(session, hasher, absolute, signal)),
  }
}
