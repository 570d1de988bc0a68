import { Readable } from 'node:stream'
import { abortable } from '../abortable.js'
import type { RemoteEntry, RemoteFile } from '../remote-files/remote-files.js'
import { TargetError } from '../target-error.js'
import type { SftpConnections, SftpLease } from './connections.js'
import { sftpError } from './errors.js'
import type { SftpClient } from './sftp/client.js'
import { unlessMissing } from './sftp/error.js'
import { kindOf, type FileAttributes } from './sftp/packet.js'

const readFlag = 0x1

const requestsUnderWay = 8

/** A regular file, by its absolute path; undefined: there is none. */
export async function statFile(client: SftpClient, absolute: string): Promise<RemoteFile | undefined> {
  const found = await unlessMissing(client.lstat(absolute))
  return found && kindOf(found) === 'file' ? { size: found.size, modified: dateOf(found) } : undefined
}

/** What is in a folder; nothing when there is no such folder. */
export async function listFolder(client: SftpClient, absolute: string): Promise<RemoteEntry[]> {
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
}

/** Bytes `start` up to `end` (exclusive) of a file. */
export async function readFile(
  connections: SftpConnections,
  path: string,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const lease = await connections.lease(signal)
  const { client } = lease.session
  try {
    const handle = await abortable(client.open(lease.session.path(path), readFlag), signal)
    return streamOf(lease, handle, path, start, end, signal)
  } catch (error) {
    lease.release(signal?.aborted === true)
    throw sftpError(error, `Cannot read "${path}"`)
  }
}

/** Reads an open file ahead. Closes it and releases the connection. */
function streamOf(
  lease: SftpLease,
  handle: Buffer,
  path: string,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Readable {
  const { client } = lease.session
  const underWay: Promise<Buffer>[] = []
  let asked = start
  let at = start
  let isReading = false

  const abort = () => stream.destroy(signal?.reason as Error)
  const stream = new Readable({
    objectMode: true,
    highWaterMark: 1,
    read() {
      void pump()
    },
    destroy(error, done) {
      signal?.removeEventListener('abort', abort)
      client.closeQuietly(handle)
      lease.release(signal?.aborted === true || lease.session.isEnded)
      done(error)
    },
  })

  async function pump(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      let isWanted = true
      while (isWanted && !stream.destroyed) {
        askAhead()
        const first = underWay.shift()
        const chunk = await first
        if (stream.destroyed) return
        at += chunk?.length ?? 0
        isWanted = stream.push(chunk ?? null) && chunk !== undefined
      }
    } catch (error) {
      stream.destroy(sftpError(error, `Cannot read ${path}`) as Error)
    } finally {
      isReading = false
    }
  }

  function askAhead(): void {
    while (underWay.length < requestsUnderWay && asked < end) {
      const chunk = readWhole(asked, Math.min(client.chunkBytes, end - asked))
      // It is asked for later, in turn.
      chunk.catch(() => {})
      underWay.push(chunk)
      asked = Math.min(asked + client.chunkBytes, end)
    }
  }

  /** Servers may return fewer bytes than asked for. */
  async function readWhole(offset: number, length: number): Promise<Buffer> {
    const first = await client.read(handle, offset, length)
    if (first.length === length) return first
    if (first.length === 0) throw new TargetError('ERR_TARGET_DAMAGED', `${path} ends at byte ${offset} of ${end}.`)
    return Buffer.concat([first, await readWhole(offset + first.length, length - first.length)])
  }

  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return stream
}

function dateOf({ modified }: FileAttributes): Date {
  return new Date(modified * 1000)
}
