import { Agent, request, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TrafficOptions {
  /** Of 127.0.0.1. */
  readonly port: number
  /** The `Host` header. */
  readonly host: string
  readonly path: string
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

/**
 * Clients that ask without a pause: GET and POST, over new connections, over kept ones, and requests that take long or
 * whose bodies come slowly. As browsers do, they ask once more when a kept connection was closed before a byte came back.
 * Each request has a number of its own, `id`, and keeps it.
 */
export function startTraffic({ port, host, path }: TrafficOptions): Traffic {
  const answers: string[] = []
  const failures: string[] = []
  const rounds: number[] = []
  let last = 0
  let running = true
  const clients = [
    client({ method: 'GET', agent: false }),
    client({ method: 'POST', agent: false }),
    client({ method: 'GET', agent: new Agent({ keepAlive: true, maxSockets: 1 }) }),
    client({ method: 'POST', agent: new Agent({ keepAlive: true, maxSockets: 1 }) }),
    client({ method: 'GET', agent: false }, { ms: 150 }),
    client({ method: 'POST', agent: false }, { bodyMs: 150 }),
  ]

  async function client(options: RequestOptions, { ms = 0, bodyMs = 0 } = {}): Promise<void> {
    const number = rounds.push(0) - 1
    while (running) {
      try {
        const whole = { host: '127.0.0.1', port, path: `${path}?id=${++last}&ms=${ms}`, headers: { Host: host } }
        answers.push(await ask({ ...whole, ...options }, bodyMs))
      } catch (error) {
        failures.push(`${options.method} ${options.agent ? 'kept' : 'new'}: ${(error as Error).message}`)
        await sleep(20)
      }
      rounds[number]! += 1
      await sleep(2)
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
      running = false
      await Promise.all(clients)
    },
  }
}

function ask(options: RequestOptions, bodyMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, signal: AbortSignal.timeout(30_000) }, (response) => {
      text(response).then(
        (body) =>
          response.statusCode === 200
            ? resolve(body)
            : reject(new Error(`${response.statusCode} ${body.slice(0, 200)}`)),
        reject,
      )
    })
    asked.once('error', (error: NodeJS.ErrnoException) => {
      if (asked.reusedSocket && error.code === 'ECONNRESET') ask(options, bodyMs).then(resolve, reject)
      else reject(error)
    })
    if (options.method === 'GET') asked.end()
    else if (bodyMs === 0) asked.end('some body')
    else {
      asked.write('half a ')
      setTimeout(() => asked.end('body'), bodyMs)
    }
  })
}
