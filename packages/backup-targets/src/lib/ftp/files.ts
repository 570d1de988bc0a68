import type { Client } from 'basic-ftp'
import type { RemoteFiles } from '../remote-files/remote-files.js'
import type { FtpConnections } from './connections.js'
import { ftpError } from './errors.js'
import { hashCommandOf, hashFile } from './hash.js'
import { listFolder, readFile, statByFacts, statBySizeAndDate } from './read.js'
import { removeFile, removeFolder } from './remove.js'
import { moveFile, writeFile } from './write.js'

/** Files of a server by FTP; `features` is the answer to FEAT. */
export function ftpFiles(connections: FtpConnections, features: ReadonlyMap<string, string>): RemoteFiles {
  const use = <T>(
    path: string,
    attempt: string,
    signal: AbortSignal | undefined,
    call: (client: Client) => Promise<T>,
  ) =>
    connections.use(signal, call).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : ftpError(error, `Cannot ${attempt} "${path}"`)
    })
  const statFile = features.has('MLST') ? statByFacts : statBySizeAndDate
  const hashCommand = hashCommandOf(features)

  const files: RemoteFiles = {
    movesExclusively: false,
    stat: (path, signal) => use(path, 'look at', signal, (client) => statFile(client, path)),
    list: (folder, signal) => use(folder, 'list', signal, (client) => listFolder(client, folder)),
    write: (path, start, chunks, { signal, onBytes }) =>
      use(path, 'write', signal, (client) => writeFile(client, path, start, chunks, onBytes)),
    read: async (path, start, end, signal) => readFile(await connections.lease(signal), path, start, end, signal),
    move: (from, to, replace, signal) =>
      use(to, 'rename a file to', signal, (client) => moveFile(client, statFile, { from, to, replace })),
    remove: (path, signal) => use(path, 'remove', signal, (client) => removeFile(client, statFile, path)),
    removeFolder: (path, signal) => use(path, 'remove', signal, (client) => removeFolder(client, path)),
    close: () => Promise.resolve(connections.close()),
  }
  if (hashCommand === undefined) return files
  return {
    ...files,
    sha256: (path, signal) => use(path, 'hash', signal, (client) => hashFile(client, statFile, hashCommand, path)),
  }
}
