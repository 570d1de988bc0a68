import { Agent, request, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TrafficOptions {
  /** On 127.0.0.1. */
  readonly port: number
  /** `Host` and others. */
  readonly headers: Readonly<Record<string, string>>
  /** Path of a request, which should take this long when its server can do that. */
  readonly path: (request: { readonly id: number; readonly method: 'GET' | 'POST'; readonly ms: number }) => string
  /** Body of a POST. Default: a few words. */
  readonly body?: (id: number) => string
  /** Between two requests of a client, in ms. Default 5, in `npm run test:deep` 2. */
  readonly pauseMs?: number
}

export interface Traffic {
  /** Bodies of good answers so far. */
  readonly answers: readonly string[]
  /** What else came of a request, so far. */
  readonly failures: readonly string[]
  /** Resolves when each client had another answer, or failed. */
  round(): Promise<void>
  /** Lets what is under way end. */
  stop(): Promise<void>
}

const shortMs = process.env['TEST_DEEP'] === '1' ? 2 : 5

type ClientOptions = Pick<RequestOptions, 'agent'> & { readonly method: 'GET' | 'POST' }

/**
 * Clients that ask all the time: GET and POST, over new connections, over kept ones, and requests that take long or
 * whose bodies come slowly. As browsers do, they ask once more when a kept connection was closed before a byte came back.
 * Each request has a number of its own, and keeps it.
 */
export function startTraffic({
  port,
  headers,
  path,
  body = () => 'some body',
  pauseMs = shortMs,
}: TrafficOptions): Traffic {
  const answers: string[] = []
  const failures: string[] = []
  const rounds: number[] = []
  let last = 0
  const end = new AbortController()
  const clients = [
    client({ method: 'GET', agent: false }),
    client({ method: 'POST', agent: false }),
    client({ method: 'GET', agent: new Agent({ keepAlive: true, maxSockets: 1 }) }),
    client({ method: 'POST', agent: new Agent({ keepAlive: true, maxSockets: 1 }) }),
    client({ method: 'GET', agent: false }, { ms: 150 }),
    client({ method: 'POST', agent: false }, { bodyMs: 150 }),
  ]

  async function client(options: ClientOptions, { ms = 0, bodyMs = 0 } = {}): Promise<void> {
    const number = rounds.push(0) - 1
    while (!end.signal.aborted) {
      try {
        const id = ++last
        const content = options.method === 'POST' ? body(id) : undefined
        const whole = { host: '127.0.0.1', port, path: path({ id, ms, method: options.method }), headers, ...options }
        const answer = (await ask(whole, content, bodyMs)) ?? (await ask(whole, content, bodyMs))
        if (answer === undefined) throw new Error('closed twice')
        answers.push(answer)
      } catch (error) {
        failures.push(`${options.method} ${options.agent ? 'kept' : 'new'}: ${(error as Error).message}`)
        await sleep(20)
      }
      rounds[number]! += 1
      await sleep(pauseMs)
    }
    if (options.agent instanceof Agent) options.agent.destroy()
  }

  return {
    answers,
    failures,
    async round() {
      const now = [...rounds]
      while (rounds.some((count, at) => count <= now[at]! + 1)) await sleep(5)
    },
    async stop() {
      end.abort()
      await Promise.all(clients)
    },
  }
}

/** @returns undefined: a kept connection was closed before it was used again */
function ask(options: RequestOptions, body: string | undefined, bodyMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, signal: AbortSignal.timeout(30_000) }, (response) => {
      text(response).then(
        (content) =>
          Math.floor((response.statusCode ?? 0) / 100) === 2
            ? resolve(content)
            : reject(new Error(`${response.statusCode} ${content.slice(0, 200)}`)),
        reject,
      )
    })
    asked.once('error', (error: NodeJS.ErrnoException) => {
      if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(undefined)
      else reject(error)
    })
    if (body === undefined || bodyMs === 0) asked.end(body)
    else {
      asked.write(body.slice(0, 4))
      setTimeout(() => asked.end(body.slice(4)), bodyMs)
    }
  })
}
