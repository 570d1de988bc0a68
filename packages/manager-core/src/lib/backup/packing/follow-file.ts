import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const chunkSize = 1 << 18
const pollMs = 10

/** What is in a file, and what comes to it until `end` resolves; its failure ends this, too. */
export async function* followFile(path: string, end: Promise<unknown>): AsyncGenerator<Buffer, void, undefined> {
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
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkSize), 0, chunkSize)
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead)
      else if (isLast) break
      else await Promise.race([ended, sleep(pollMs)])
    }
    await end
  } finally {
    await file.close()
  }
}
