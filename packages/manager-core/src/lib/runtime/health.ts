import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ForeignPortError, toOwner, type OwnedPort } from '../system/connect-to-owner.js'
import { deployedPath } from './tomcat/base-files.js'

/** What `/health` of an instance says. */
export interface Health {
  readonly ok: boolean
  /**
   * One of docs/spec/wire-decisions.md, "monitoring reasons": `unreachable`, `http-<code>`, `status-<value>`, `slow`;
   * `foreign`: a program of another user answers, see `problem`; for a Java web application also `not-deployed`.
   * Undefined: healthy.
   */
  readonly reason: string | undefined
  /** As it came, INI text. */
  readonly text: string
  /** Sections by name. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** In ms. */
  readonly responseTime: number
  /** Who answers in its place, in a sentence. */
  readonly problem?: string
  /** A Java web application that is deployed, and reports no health: the status of its answer. */
  readonly silent?: number
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

/** Where the health of an instance is asked for, and who may answer. */
export interface HealthPlace extends OwnedPort {
  /** Path below which a Java web application is served, `/` or `/<name>`. Absent: an application for Node. */
  readonly context?: string | undefined
}

/** An answer with more text than this is not a health. */
const maxLength = 100_000
/** Longest time that one call of `waitForHealth` may take, in ms. */
const callMs = 5000
/** Least time of its last call: on a busy machine a shorter one says nothing about the instance. */
const leastMs = 1000

/**
 * Calls `/health`. Never rejects for an instance that does not answer. Applications for Node must say that they are well.
 * A Java web application may do so, in the same form or as JSON; any other answer of one that is deployed counts as well,
 * unless its status is 500 or above. Only programs of the port's owner are asked.
 */
export async function checkHealth(
  place: HealthPlace,
  { timeoutMs = 5000, slowMs = Infinity, signal }: HealthOptions = {},
): Promise<Health> {
  const begin = performance.now()
  const limit = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs)))
  const ends = signal ? AbortSignal.any([limit, signal]) : limit
  const { context } = place
  let problem: string | undefined
  const answer = await call(place, `${context === '/' ? '' : (context ?? '')}/health`, ends).catch((error: unknown) => {
    if (error instanceof ForeignPortError) problem = error.message
    return undefined
  })
  const responseTime = Math.round(performance.now() - begin)
  const text = answer?.text ?? ''
  const sections = context === undefined ? parseIni(text) : (parseJson(text) ?? parseIni(text))
  const isSilent = context !== undefined && answer && answer.status < 500 && !sections['platform']?.['status']
  const isForeign = problem !== undefined
  const failed = isSilent ? await whyNotDeployed(place, ends) : reasonOf(answer?.status, sections)
  const reason = isForeign ? 'foreign' : (failed ?? (responseTime > slowMs ? 'slow' : undefined))
  const ok = reason === undefined || reason === 'slow'
  return {
    ok,
    reason,
    text,
    sections,
    responseTime,
    ...(problem !== undefined && { problem }),
    ...(isSilent && ok && { silent: answer.status }),
  }
}

/** Tomcat answers for a web application that could not be deployed. */
async function whyNotDeployed(place: OwnedPort, signal: AbortSignal): Promise<string | undefined> {
  const { status } = await call(place, deployedPath, signal).catch(() => ({ status: undefined }))
  return status === 200 ? undefined : status === undefined ? 'unreachable' : 'not-deployed'
}

/**
 * Calls `/health` until it is well.
 *
 * @returns the last answer: not `ok` when the time is over or it does not run any more.
 * @throws what the signal was aborted with
 */
export async function waitForHealth(
  place: HealthPlace,
  { timeoutMs, signal, stillRunning, isOurs }: WaitOptions,
): Promise<Health> {
  const begin = performance.now()
  for (let pause = 10; ; pause = Math.min(pause * 1.15, 250)) {
    const left = timeoutMs - (performance.now() - begin)
    const answer = await checkHealth(place, { timeoutMs: Math.min(callMs, Math.max(left, leastMs)), signal })
    const isForeign = answer.ok && isOurs !== undefined && !(await isOurs(answer))
    const health = isForeign ? { ...answer, ok: false, reason: 'another program answers' } : answer
    signal?.throwIfAborted()
    // Tomcat does not answer before it has tried.
    const isOver = health.ok || health.reason === 'not-deployed' || left <= 0
    if (isOver || (stillRunning && !(await stillRunning()))) return health
    await sleep(pause, undefined, { signal })
  }
}

async function call(
  place: OwnedPort,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  // An import would load all that Node has of HTTP, which takes longer than most commands.
  const { get } = process.getBuiltinModule('node:http')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const { port } = place
    get({ host: '127.0.0.1', port, path, createConnection: toOwner(place, signal), signal }, resolve).once(
      'error',
      reject,
    )
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

/** The same as JSON: an object of sections. */
function parseJson(text: string): Health['sections'] | undefined {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, section]) =>
        typeof section === 'object' && section !== null
          ? [[name, Object.fromEntries(Object.entries(section).map(([key, one]) => [key, String(one)]))]]
          : [],
      ),
    )
  } catch {
    return undefined
  }
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
