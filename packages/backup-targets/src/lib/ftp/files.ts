import type { Client, FileInfo } from 'basic-ftp'
import { sha256OfNothing, type RemoteEntry, type RemoteFile, type RemoteFiles } from '../remote-files/remote-files.js'
import { TargetError } from '../target-error.js'
import { download } from './read.js'
import type { FtpConnections } from './connections.js'
import { ftpError, isMissing, replyCode } from './errors.js'
import { upload } from './write.js'

/** The slowest that a server is believed to hash: it says nothing meanwhile. */
const hashedBytesPerMs = 10_000

/** Files of a server by FTP; `features` is what its FEAT tells. */
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
  const statOf = features.has('MLST') ? factsOf : sizeAndDateOf
  const hashCommand = features.has('XSHA256')
    ? 'XSHA256'
    : features.get('HASH')?.includes('SHA-256')
      ? 'HASH'
      : undefined

  return {
    movesExclusively: false,

    stat: (path, signal) => use(path, 'look at', signal, (client) => statOf(client, path)),

    list: (folder, signal) =>
      use(folder, 'list', signal, async (client) => {
        const entries = await client.list(folder).catch((error: unknown) => {
          if (isMissing(error)) return []
          throw error
        })
        const found: RemoteEntry[] = []
        for (const entry of entries) {
          const { name, size, isDirectory, isFile } = entry
          if (name === '.' || name === '..') continue
          const modified = entry.modifiedAt ?? (await lastChange(client, folder, entry))
          found.push({ name, size, modified, kind: isFile ? 'file' : isDirectory ? 'folder' : 'other' })
        }
        return found
      }),

    write: (path, start, chunks, { signal, onBytes }) =>
      use(path, 'write', signal, async (client) => {
        if (start > 0) return upload(client, `APPE ${path}`, chunks, onBytes)
        // A `delete` removes folders that it leaves empty, also meanwhile.
        for (let attempt = 1; ; attempt++) {
          try {
            return await upload(client, `STOR ${path}`, chunks, onBytes)
          } catch (error) {
            // Nothing is read of the chunks yet.
            if (![550, 553].includes(replyCode(error) ?? 0) || attempt === 4) throw error
          }
          await makeFolders(client, path)
        }
      }),

    async read(path, start, end, signal) {
      const lease = await connections.lease(signal)
      return download(lease, path, start, end, signal)
    },

    move: (from, to, replace, signal) =>
      use(to, 'rename a file to', signal, async (client) => {
        try {
          await client.rename(from, to)
        } catch (error) {
          if (!replace || replyCode(error) === undefined || !(await statOf(client, to))) throw error
          // Such a server cannot do it at once.
          await client.remove(to)
          await client.rename(from, to)
        }
      }),

    remove: (path, signal) =>
      use(path, 'remove', signal, async (client) => {
        try {
          await client.remove(path)
          return true
        } catch (error) {
          if (replyCode(error) !== undefined && !(await statOf(client, path))) return false
          throw error
        }
      }),

    removeFolder: (path, signal) =>
      use(path, 'remove', signal, async (client) => {
        try {
          await client.removeEmptyDir(path)
          return true
        } catch (error) {
          if (replyCode(error) !== undefined) return false
          throw error
        }
      }),

    ...(hashCommand && {
      sha256: (path, signal) => use(path, 'hash', signal, (client) => hashOf(client, hashCommand, path, statOf)),
    }),

    close() {
      connections.close()
      return Promise.resolve()
    },
  }
}

/** By one command that tells the kind, too. Source: RFC 3659, 7. */
async function factsOf(client: Client, path: string): Promise<RemoteFile | undefined> {
  try {
    const { message } = await client.send(`MLST ${path}`)
    const facts = new Map(
      [...message.matchAll(/([\w.]+)=([^;]*);/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    )
    if (facts.get('type')?.toLowerCase() !== 'file') return undefined
    return { size: Number(facts.get('size')), modified: dateOf(facts.get('modify') ?? '') }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function sizeAndDateOf(client: Client, path: string): Promise<RemoteFile | undefined> {
  try {
    return { size: await client.size(path), modified: await client.lastMod(path) }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Of a server whose lists are for people only. */
async function lastChange(client: Client, folder: string, { name, isFile }: FileInfo): Promise<Date> {
  // A partial file of which nothing is known must never look old.
  if (!isFile) return new Date()
  return client.lastMod(folder === '' ? name : `${folder}/${name}`).catch((error: unknown) => {
    if (replyCode(error) === undefined) throw error
    return new Date()
  })
}

/** `20261121180814` or with `.123`, in UTC. */
function dateOf(time: string): Date {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(time) ?? []
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

async function makeFolders(client: Client, path: string): Promise<void> {
  const folders = path.split('/').slice(0, -1)
  // Of one that is there, servers say that it failed; of one that cannot be, writing the file tells.
  for (const [index] of folders.entries())
    await client.sendIgnoringError(`MKD ${folders.slice(0, index + 1).join('/')}`)
}

async function hashOf(client: Client, command: string, path: string, statOf: typeof factsOf): Promise<string> {
  const { size = 0 } = (await statOf(client, path)) ?? {}
  // ProFTPD refuses to.
  if (size === 0) return sha256OfNothing
  if (command === 'HASH') await client.send('OPTS HASH SHA-256')
  const answer = client.send(`${command} ${path}`)
  client.ftp.socket.setTimeout(client.ftp.timeout + size / hashedBytesPerMs)
  const { message } = await answer
  const sum = /\b[0-9a-f]{64}\b/i.exec(message)?.[0]
  if (sum !== undefined) return sum.toLowerCase()
  throw new TargetError('ERR_TARGET_FAILED', `The server answers ${command} without a hash: ${message}`)
}
