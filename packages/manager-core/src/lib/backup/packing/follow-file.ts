import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const chunkSize = 1 << 18
const pollMs = 10

/**
 * What is in a file, and what comes to it until `end` resolves; its failure ends this, too.
 *
 * @param memory for all pieces: each is good until the next one is asked for. Default: new for each.
 */
export async function* followFile(
  path: string,
  end: Promise<unknown>,
  memory?: Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  let isEnded = false
  const ended = end.then(
    () => (isEnded = true),
    () => (isEnded = true),
  )
  const file = await open(path)
  try {
    for (;;) {
      // Asked before: what was written between reading and the end is read, too.
      const isLast = isEnded
      const { buffer, bytesRead } = await file.read(memory ?? Buffer.allocUnsafe(chunkSize))
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead)
      else if (isLast) break
      else await Promise.race([ended, sleep(pollMs)])
    }
    await end
  } finally {
    await file.close()
  }
}

/** Whether a file has that many bytes, as soon as it has or `end` resolves. */
export async function becomesLarge(path: string, bytes: number, end: Promise<unknown>): Promise<boolean> {
  let isEnded = false
  const ended = end.finally(() => (isEnded = true))
  ended.catch(() => undefined)
  for (;;) {
    const isLast = isEnded
    if ((await stat(path)).size >= bytes) return true
    if (isLast) return false
    await Promise.race([ended, sleep(pollMs)])
  }
}
