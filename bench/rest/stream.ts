import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './databases.ts'
import { memory } from './machine.ts'
import { base } from './operations.ts'
import { startServer } from './process.ts'
import { authorization, type ServerName } from './servers.ts'

export interface StreamResult {
  readonly server: ServerName
  readonly reader: 'fast' | 'slow'
  readonly records: number
  readonly mib: number
  readonly seconds: number
  readonly beforeMiB: number
  readonly mostMiB: number
}

/** Reads all records in one search, as fast as they come and then slowly, and looks at the server's memory meanwhile. */
export async function measureStream(name: ServerName, target: Target, items: number): Promise<StreamResult[]> {
  const server = await startServer(name, target)
  try {
    // A first small search, so that what is loaded on demand does not count.
    await readAll(server.port, '?_page=0&_pagesize=100', 0)
    const results: StreamResult[] = []
    for (const reader of ['fast', 'slow'] as const) {
      const beforeMiB = memory(server.pid).nowMiB
      let mostMiB = beforeMiB
      const timer = setInterval(() => (mostMiB = Math.max(mostMiB, memory(server.pid).nowMiB)), 20)
      const start = performance.now()
      const { records, bytes } = await readAll(server.port, '', reader === 'slow' ? 5 : 0).finally(() =>
        clearInterval(timer),
      )
      if (records !== items) throw new Error(`${name} streamed ${records} records, not ${items}`)
      const seconds = (performance.now() - start) / 1000
      results.push({ server: name, reader, records, mib: bytes / 2 ** 20, seconds, beforeMiB, mostMiB })
    }
    return results
  } finally {
    await server.stop()
  }
}

/** Reads an answer without keeping it, waiting after each chunk. */
async function readAll(port: number, rest: string, pauseMs: number): Promise<{ records: number; bytes: number }> {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: base + rest, headers: { authorization } }, resolve)
      .on('error', reject)
      .end()
  })
  if (response.statusCode !== 200) throw new Error(`A search of all rows was answered with ${response.statusCode}`)
  const mark = '"row_id"'
  let [records, bytes, tail] = [0, 0, '']
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    const text = tail + chunk.toString('latin1')
    records += text.split(mark).length - 1
    tail = text.slice(-mark.length + 1)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  return { records, bytes }
}
