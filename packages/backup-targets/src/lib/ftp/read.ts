import { Readable, Writable } from 'node:stream'
import type { Client, FileInfo } from 'basic-ftp'
import { lendOwn } from '../lent.js'
import type { RemoteEntry, RemoteFile } from '../remote-files/remote-files.js'
import { TargetError } from '../target-error.js'
import type { FtpLease } from './connections.js'
import { ftpError, isMissing, replyCode } from './errors.js'

/** How a regular file is looked at; undefined: there is none. */
export type StatFile = (client: Client, path: string) => Promise<RemoteFile | undefined>

/** What is in a folder; nothing when there is no such folder. */
export async function listFolder(client: Client, folder: string): Promise<RemoteEntry[]> {
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
}

/**
 * Bytes `start` up to `end` (exclusive) of a file. A transfer that continues past `end` is stopped by closing its
 * connection: FTP has no other way.
 */
export function readFile(
  { client, release }: FtpLease,
  path: string,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Readable {
  let left = end - start
  let isEnough = false
  let goOn: (() => void) | undefined

  const abort = () => stream.destroy(signal?.reason as Error)
  const stream = new Readable({
    objectMode: true,
    highWaterMark: 4,
    read() {
      const resume = goOn
      // It may bring the next chunk at once.
      goOn = undefined
      resume?.()
    },
    destroy(error, done) {
      signal?.removeEventListener('abort', abort)
      release(!isEnough)
      done(error)
    },
  })
  // basic-ftp ends what it writes into, also when it fails: that must not be the end of the stream.
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const wanted = chunk.subarray(0, left)
      left -= wanted.length
      const isMore = stream.push(lendOwn(wanted))
      if (chunk.length > wanted.length) stream.push(null)
      else if (isMore) done()
      else goOn = done
    },
  })
  client.downloadTo(sink, path, start).then(
    () => {
      isEnough = left === 0
      if (isEnough) stream.push(null)
      else stream.destroy(new TargetError('ERR_TARGET_DAMAGED', `"${path}" ends ${left} bytes before byte ${end}.`))
    },
    (error: unknown) => stream.destroy(ftpError(error, `Cannot read "${path}"`)),
  )
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return stream
}

/** By one command that also returns the kind. Source: RFC 3659, 7. */
export async function statByFacts(client: Client, path: string): Promise<RemoteFile | undefined> {
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

/** By two commands, for servers without that one. */
export async function statBySizeAndDate(client: Client, path: string): Promise<RemoteFile | undefined> {
  try {
    return { size: await client.size(path), modified: await client.lastMod(path) }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** For a server whose lists are for people only. */
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
