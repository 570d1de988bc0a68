import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { basic, createCaller, type Answer } from '../../packages/rest-koa/src/lib/testing/caller.js'

/** A client that repeats what got no answer, or 503, with the same Idempotency-Key, until it knows. */
export interface Client {
  /** The definite answer. */
  send(method: string, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Answers 503 so far. */
  readonly refused: number
}

const pauseMs = 20
/** Servers are back after far fewer. */
const mostAttempts = 3000

/** @param origin Of the server that runs now. */
export function createClient(origin: () => string, password: string): Client {
  let refused = 0
  return {
    async send(method, path, json, headers = {}) {
      const sent = {
        authorization: basic('admin', password),
        ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
        ...headers,
      }
      for (let attempt = 1; attempt < mostAttempts; attempt++) {
        const call = createCaller(`${origin()}/api/rest`, null)
        const answer = await call(method, path, { headers: sent, ...(json !== undefined && { json }) }).catch(
          () => null,
        )
        if (answer && !mayBeRepeated(answer)) return answer
        if (answer?.status === 503) refused++
        await sleep(pauseMs)
      }
      throw new Error(`${method} ${path} was not answered.`)
    },
    get refused() {
      return refused
    },
  }
}

function mayBeRepeated({ status, headers }: Answer): boolean {
  return status === 503 || (status === 409 && headers.has('retry-after'))
}
