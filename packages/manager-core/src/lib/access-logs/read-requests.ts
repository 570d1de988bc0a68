import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isHealthCheck } from '../logs/read-log-entry.js'

/** One finished request, as the application server logs it. */
export interface LoggedRequest {
  /** When the request ended, in ms since the Unix epoch. */
  readonly time: number
  readonly address: string
  readonly user: string | undefined
  readonly method: string
  /** Path and query; values that look like secrets are replaced already. */
  readonly url: string
  readonly status: number
  readonly bytes: number
  readonly durationMs: number
  readonly referrer: string | undefined
  readonly userAgent: string | undefined
}

/** The requests in the logs of an instance, oldest file first, without the manager's own health checks. */
export async function* readRequests(logFolder: string): AsyncGenerator<LoggedRequest> {
  for (const file of await logFiles(logFolder)) {
    const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })
    for await (const line of lines) {
      const request = parseRequest(line)
      if (request) yield request
    }
  }
}

/** `application.log.2`, `application.log.1`, `application.log` */
async function logFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  const number = (name: string) => Number(/^application\.log\.(\d+)$/.exec(name)?.[1] ?? 0)
  return names
    .filter((name) => /^application\.log(?:\.\d+)?$/.test(name))
    .toSorted((a, b) => number(b) - number(a))
    .map((name) => join(folder, name))
}

function parseRequest(line: string): LoggedRequest | undefined {
  if (!line.startsWith('{') || !line.includes('"msg":"request"')) return undefined
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
  const { time, status } = entry
  if (typeof time !== 'number' || typeof status !== 'number' || isHealthCheck(entry)) return undefined
  return {
    time,
    address: text(entry.address) ?? '-',
    user: text(entry.user),
    method: text(entry.method) ?? '-',
    url: text(entry.url) ?? '-',
    status,
    bytes: number(entry.bytes),
    durationMs: number(entry.durationMs),
    referrer: text(entry.referrer),
    userAgent: text(entry.userAgent),
  }
}
