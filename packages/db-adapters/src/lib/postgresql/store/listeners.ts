import { closedError } from '../../pool/source.js'
import type { Listeners } from '../../pool/store.js'
import type { PostgresqlConnection } from './connection.js'

/** How long after a loss, or a failure to connect, it is tried again. */
const retryMs = 2_000

/** One connection for each call of `listen`. */
export function createListeners(open: () => Promise<PostgresqlConnection>): Listeners {
  const ends = new Set<() => Promise<void>>()
  let isClosed = false
  return {
    listen(channel, onNotice) {
      if (isClosed) throw closedError()
      const stop = keepListening(open, channel, onNotice)
      const end = async (): Promise<void> => {
        ends.delete(end)
        await stop()
      }
      ends.add(end)
      return end
    },
    async close() {
      isClosed = true
      await Promise.all([...ends].map((end) => end()))
    },
  }
}

function keepListening(
  open: () => Promise<PostgresqlConnection>,
  channel: string,
  onNotice: () => void,
): () => Promise<void> {
  let isEnded = false
  let retry: NodeJS.Timeout | undefined
  let connection: PostgresqlConnection | undefined
  let connecting = connect()

  return async () => {
    isEnded = true
    clearTimeout(retry)
    await connecting
    await connection?.close()
  }

  async function connect(): Promise<void> {
    try {
      connection = await open()
      await connection.listen(channel, () => isEnded || onNotice(), again)
      if (!isEnded) onNotice()
    } catch {
      await connection?.close()
      again()
    }
  }

  function again(): void {
    if (isEnded) return
    clearTimeout(retry)
    retry = setTimeout(() => (connecting = connect()), retryMs).unref()
  }
}
