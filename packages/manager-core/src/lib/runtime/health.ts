import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What `/health` of an instance says. */
export interface Health {
  readonly ok: boolean
  /** Of wire-decisions, "monitoring reasons": `unreachable`, `http-<code>`, `status-<value>`, `slow`; undefined: healthy. */
  readonly reason: string | undefined
  /** As it came, INI text. */
  readonly text: string
  /** Sections by name. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** In ms. */
  readonly responseTime: number
}

export interface HealthOptions {
  /** Default 5000. */
  readonly timeoutMs?: number
  /** An answer that took longer makes it `slow`, although it is well. Default: never. */
  readonly slowMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface WaitOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Asked between two calls; false ends the waiting. */
  readonly stillRunning?: () => Promise<boolean>
  /** Whether a good answer comes from the instance itself. */
  readonly isOurs?: (health: Health) => Promise<boolean>
}

/** An answer with more text than this is no health. */
const maxLength = 100_000
/** Longest time that one call of `waitForHealth` may take, in ms. */
const callMs = 5000

/** Calls `/health`. Never rejects for an instance that does not answer. */
export async function checkHealth(
  port: number,
  { timeoutMs = 5000, slowMs = Infinity, signal }: HealthOptions = {},
): Promise<Health> {
  const begin = performance.now()
  const limit = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs)))
  const answer = await call(port, signal ? AbortSignal.any([limit, signal]) : limit).catch(() => undefined)
  const responseTime = Math.round(performance.now() - begin)
  const text = answer?.text ?? ''
  const sections = parseIni(text)
  const reason = reasonOf(answer?.status, sections) ?? (responseTime > slowMs ? 'slow' : undefined)
  return { ok: reason === undefined || reason === 'slow', reason, text, sections, responseTime }
}

/**
 * Calls `/health` until it is well.
 *
 * @returns the last answer: not `ok` when the time is over or it does not run any more.
 * @throws what the signal was aborted with
 */
export async function waitForHealth(
  port: number,
  { timeoutMs, signal, stillRunning, isOurs }: WaitOptions,
): Promise<Health> {
  const begin = performance.now()
  for (let pause = 10; ; pause = Math.min(pause * 1.15, 250)) {
    const left = timeoutMs - (performance.now() - begin)
    const answer = await checkHealth(port, { timeoutMs: Math.min(callMs, Math.max(left, 100)), signal })
    const isForeign = answer.ok && isOurs !== undefined && !(await isOurs(answer))
    const health = isForeign ? { ...answer, ok: false, reason: 'another program answers' } : answer
    signal?.throwIfAborted()
    if (health.ok || left <= 0 || (stillRunning && !(await stillRunning()))) return health
    await sleep(pause, undefined, { signal })
  }
}

async function call(port: number, signal: AbortSignal): Promise<{ readonly status: number; readonly text: string }> {
  // An import would load all that Node has of HTTP, which takes longer than most commands.
  const { get } = process.getBuiltinModule('node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false, signal }, resolve).once('error', reject)
  })
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > maxLength) break
  }
  return { status: response.statusCode ?? 0, text: text.slice(0, maxLength) }
}

function reasonOf(status: number | undefined, sections: Health['sections']): string | undefined {
  if (status === undefined) return 'unreachable'
  const said = sections['platform']?.['status']
  // Hooks get it as an argument; who knows who answers on that port.
  if (said !== undefined && said !== 'OK') return `status-${said.replaceAll(/[^\w.-]/g, '_').slice(0, 40)}`
  if (status !== 200) return `http-${status}`
  return said === undefined ? 'status-unknown' : undefined
}

/** `[section]` lines and `key=value` lines; others are passed over. */
function parseIni(text: string): Health['sections'] {
  const sections: Record<string, Record<string, string>> = {}
  let section: Record<string, string> | undefined
  for (const line of text.split(/\r?\n/)) {
    const name = /^\[([\w.-]{1,100})\]\s*$/.exec(line)?.[1]
    if (name !== undefined) {
      section = Object.create(null) as Record<string, string>
      Object.defineProperty(sections, name, { value: section, enumerable: true, configurable: true })
      continue
    }
    const pair = /^\s*([^=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line)
    if (section && pair) section[pair[1] as string] = pair[2] as string
  }
  return sections
}
