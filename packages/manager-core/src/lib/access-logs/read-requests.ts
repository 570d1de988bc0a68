import { join } from 'node:path'
import { foreignStats, readForeignFolder, readForeignLines } from '../accounts/foreign.js'
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

export interface ReadRequests {
  /** User id that the files must have, see `readForeignFile`; others count as missing. Default: any owner. */
  readonly owner?: number | undefined
  /** Bytes of all files that are read, from the newest file on. Default: 1 GiB. */
  readonly most?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Not specified; chosen as more than the logs of the default settings, and few enough that an instance whose log has no
 * end keeps the manager busy for seconds only.
 */
const mostBytes = 2 ** 30
/** Files that are looked at: an instance may have made any number of them. */
const mostFiles = 1000
/** Characters of a name that is counted: the path, a user, an address. */
const mostOfName = 1000
/** Last moment of JavaScript, in ms. */
const lastMoment = 8.64e15

/** The requests in the logs of an instance, oldest file first, without the manager's own health checks. */
export async function* readRequests(
  logFolder: string,
  { owner, most = mostBytes, signal }: ReadRequests = {},
): AsyncGenerator<LoggedRequest> {
  for (const file of await logFiles(logFolder, most))
    for await (const line of readForeignLines(file.path, owner, { most: file.bytes, signal })) {
      const request = parseRequest(line)
      if (request) yield request
    }
}

/** `application.log.2`, `application.log.1`, `application.log`, and how much of them is read. */
async function logFiles(folder: string, most: number) {
  const names = await readForeignFolder(folder)
  const number = (name: string) => Number(/^application\.log\.(\d+)$/.exec(name)?.[1] ?? 0)
  const newest = names
    .filter((name) => /^application\.log(?:\.\d+)?$/.test(name))
    .toSorted((a, b) => number(a) - number(b))
    .slice(0, mostFiles)
  let left = most
  const files: { readonly path: string; readonly bytes: number }[] = []
  for (const name of newest) {
    const path = join(folder, name)
    const bytes = Math.min(foreignStats(path)?.size ?? 0, left)
    left -= bytes
    files.push({ path, bytes })
  }
  return files.toReversed()
}

function parseRequest(line: string): LoggedRequest | undefined {
  if (!line.startsWith('{') || !line.includes('"msg":"request"')) return undefined
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, mostOfName) : undefined)
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
  const { time, status } = entry
  if (typeof time !== 'number' || !(Math.abs(time) <= lastMoment)) return undefined
  if (typeof status !== 'number' || !(status >= 100 && status < 1000) || isHealthCheck(entry)) return undefined
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
