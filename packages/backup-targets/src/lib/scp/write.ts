import { giveBack } from '../lent.js'
import { TargetError } from '../target-error.js'
import { exists } from '../parts.js'
import type { WriteOptions } from '../remote-files/remote-files.js'
import { statFile } from './read.js'
import { text } from './sftp/packet.js'
import type { SftpClient } from './sftp/client.js'
import { isStatus, SftpError, status } from './sftp/error.js'
import type { SftpSession } from './session.js'

const flag = { write: 0x2, create: 0x8, truncate: 0x10 }

/** Sent and not confirmed: the window of an SSH channel. It bounds the memory, too. */
const bytesUnderWay = 2_097_152
const requestsUnderWay = 64

/** Writes with many requests under way and makes it durable where the server can. */
export async function writeFile(
  session: SftpSession,
  path: string,
  start: number,
  chunks: AsyncIterable<Buffer>,
  { signal, onBytes }: WriteOptions,
): Promise<void> {
  const { client } = session
  const handle = start === 0 ? await createFile(session, path) : await client.open(session.path(path), flag.write)
  let isFirst = true
  try {
    await writeChunks(client, handle, start, chunks, (bytes) => {
      isFirst = false
      onBytes(bytes)
    })
    signal?.throwIfAborted()
    if (client.has('fsync@openssh.com')) await client.extended('fsync@openssh.com', text(handle))
    await client.close(handle)
  } catch (error) {
    client.closeQuietly(handle)
    if (!isStatus(error, status.failure)) throw error
    throw start > 0 && isFirst
      ? await cannotAppend(session, path, start, error)
      : await cannotWrite(session, path, error)
  }
}

/** Opens an empty file and makes its folders: a `delete` removes those that it leaves empty, also meanwhile. */
async function createFile(session: SftpSession, path: string): Promise<Buffer> {
  const { client } = session
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.open(session.path(path), flag.write | flag.create | flag.truncate)
    } catch (error) {
      if (!isStatus(error, status.noSuchFile) || attempt === 10) throw error
    }
    const folders = path.split('/').slice(0, -1)
    for (const [index] of folders.entries()) {
      const folder = session.path(folders.slice(0, index + 1).join('/'))
      // If a folder exists, servers report a failure; if it cannot be made, opening the file fails.
      await client.makeFolder(folder).catch((error: unknown) => {
        if (!isStatus(error, status.failure, status.fileExists, status.noSuchFile)) throw error
      })
    }
  }
}

async function writeChunks(
  client: SftpClient,
  handle: Buffer,
  start: number,
  chunks: AsyncIterable<Buffer>,
  onBytes: WriteOptions['onBytes'],
): Promise<void> {
  const underWay: { readonly piece: Buffer; readonly done: Promise<void> }[] = []
  let bytes = 0
  let offset = start
  const next = async () => {
    const first = underWay.shift()
    if (!first) return
    bytes -= first.piece.length
    await first.done
    giveBack(first.piece)
  }
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += client.chunkBytes) {
      const piece = chunk.subarray(at, at + client.chunkBytes)
      while (bytes + piece.length > bytesUnderWay || underWay.length >= requestsUnderWay) await next()
      const done = client.write(handle, offset, piece).then(() => onBytes(piece.length))
      // It is asked for later, in turn.
      done.catch(() => {})
      underWay.push({ piece, done })
      bytes += piece.length
      offset += piece.length
    }
  }
  while (underWay.length > 0) await next()
}

/** Some servers only write files from their start: the next attempt does that. */
async function cannotAppend(session: SftpSession, path: string, start: number, cause: unknown): Promise<TargetError> {
  await session.client.remove(session.path(path))
  return new TargetError('ERR_TARGET_DAMAGED', `The server cannot resume "${path}" after byte ${start}.`, {
    cause,
  })
}

/** Servers give no reason for failed writes; with an open file it is lack of space. */
async function cannotWrite(session: SftpSession, path: string, cause: unknown): Promise<TargetError> {
  const free = await freeBytes(session).catch(() => undefined)
  const room = free === undefined ? '' : `; ${free} bytes of its disk are free`
  const message = `The server cannot write more of "${path}": its disk is full, or a quota or limit is reached${room}.`
  return new TargetError('ERR_TARGET_FULL', message, { cause })
}

async function freeBytes(session: SftpSession): Promise<number | undefined> {
  const { client } = session
  if (!client.has('statvfs@openssh.com')) return undefined
  const { fields } = await client.extended('statvfs@openssh.com', text(session.path('')))
  const [, blockBytes = 0, , , available = 0] = Array.from({ length: 5 }, () => fields.uint64())
  return blockBytes * available
}

const posixRename = 'posix-rename@openssh.com'
const hardLink = 'hardlink@openssh.com'

export interface MoveOptions {
  readonly replace: boolean
  /** The server can link files: without `replace` it is decided there whether there is one of the new name. */
  readonly exclusively: boolean
}

/** Renames a file. @throws TargetError ERR_TARGET_EXISTS without `replace` */
export async function moveFile(
  session: SftpSession,
  from: string,
  to: string,
  { replace, exclusively }: MoveOptions,
): Promise<void> {
  const { client } = session
  const [source, target] = [session.path(from), session.path(to)]
  if (!replace && exclusively && (await isLinked(client, source, target))) {
    await client.remove(source)
    return
  }
  if (replace && client.has(posixRename)) {
    await client.extended(posixRename, text(source), text(target))
    return
  }
  const isThere = (await statFile(client, target)) !== undefined
  if (isThere && !replace) throw exists(to)
  // Such a server cannot do it at once.
  if (isThere) await client.remove(target)
  await client.rename(source, target)
}

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
