import { once } from 'node:events'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { TLSSocket } from 'node:tls'
import type { Client, FTPResponse } from 'basic-ftp'
import { giveBack } from '../lent.js'
import { TargetError } from '../target-error.js'
import { replyCode } from './errors.js'
import type { StatFile } from './read.js'

/** After the data connection broke, the server says why on the other one. */
const reasonWithinMs = 5000

/** The system has some megabytes that are on their way still. */
const patience = 5

/** Writes into a file from byte `start` on, which is 0 or its size, and makes its folders. */
export async function writeFile(
  client: Client,
  path: string,
  start: number,
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): Promise<void> {
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
}

/**
 * Stores what comes, by `STOR` or `APPE`. basic-ftp's own upload ends the control connection when the data connection
 * breaks, before the server has said that its disk is full.
 */
async function upload(
  { ftp, prepareTransfer }: Client,
  command: string,
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await prepareTransfer(ftp)
  const data = ftp.dataSocket
  if (!data) throw new TargetError('ERR_TARGET_UNREACHABLE', 'There is no data connection.')
  for (const event of ['error', 'close', 'timeout']) data.removeAllListeners(event)
  let dataError: unknown
  data.on('error', (error) => (dataError ??= error))
  const ready = data instanceof TLSSocket ? once(data, 'secureConnect') : Promise.resolve()
  ready.catch(() => {})

  let isSent = false
  let isStarted = false
  let response: FTPResponse | undefined
  await ftp.handle(command, (reply, task) => {
    const settle = () => {
      if (response && isSent) task.resolve(response)
      else if (response && dataError) task.reject(dataError as Error)
    }
    if (reply instanceof Error) {
      data.destroy()
      task.reject(reply)
    } else if (reply.code >= 200) {
      response = reply
      settle()
    } else if (!isStarted) {
      isStarted = true
      ready
        .then(() => {
          // From now on the data connection is watched.
          ftp.socket.setTimeout(0)
          return send(data, chunks, onBytes, ftp.timeout)
        })
        .then(
          () => {
            isSent = true
            ftp.socket.setTimeout(patience * ftp.timeout)
            settle()
          },
          (error: unknown) => {
            dataError = error
            data.destroy()
            if (TargetError.is(error)) task.reject(error)
            ftp.socket.setTimeout(Math.min(ftp.timeout, reasonWithinMs))
            settle()
          },
        )
    }
  })
}

/** Fails with TargetError when it is the source that fails, or when the server takes nothing more. */
async function send(
  data: Socket,
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
  idleMs: number,
): Promise<void> {
  data.setTimeout(idleMs, () => {
    // Else it is the source that has nothing.
    if (data.writableLength > 0)
      data.destroy(new TargetError('ERR_TARGET_UNREACHABLE', `The server has taken nothing for ${idleMs} ms.`))
  })
  const written: Buffer[] = []
  await pipeline(async function* () {
    for await (const chunk of chunks) {
      yield chunk
      written.push(chunk)
      if (data.writableLength === 0) written.splice(0).forEach(giveBack)
      onBytes(chunk.length)
    }
  }, data)
}

async function makeFolders(client: Client, path: string): Promise<void> {
  const folders = path.split('/').slice(0, -1)
  // If a folder exists, servers report a failure; if it cannot be made, writing the file fails.
  for (const [index] of folders.entries())
    await client.sendIgnoringError(`MKD ${folders.slice(0, index + 1).join('/')}`)
}

/** Renames a file; one that is there is replaced when that is wanted, and when the server does it by itself. */
export async function moveFile(
  client: Client,
  statFile: StatFile,
  { from, to, replace }: { readonly from: string; readonly to: string; readonly replace: boolean },
): Promise<void> {
  try {
    await client.rename(from, to)
  } catch (error) {
    if (!replace || replyCode(error) === undefined || !(await statFile(client, to))) throw error
    // Such a server cannot do it at once.
    await client.remove(to)
    await client.rename(from, to)
  }
}
