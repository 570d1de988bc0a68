import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveBack } from '../lent.js'
import { linkStreams } from '../link-streams.js'
import { TargetError } from '../target-error.js'
import { networkError } from './network-error.js'
import { sparingAgents } from './sparing-agents.js'

/** What is sent: all at once, or as it comes. */
export type Body = Uint8Array | StreamedBody

export interface StreamedBody {
  /** Bytes; undefined: sent in chunks. */
  readonly length: number | undefined
  /** Called once the server wants it, so that nothing was read when it refuses. */
  open(): AsyncIterable<Uint8Array>
}

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** The body; call it or `text`, once. Fails with a `TargetError` when it ends early or is silent. */
  stream(): Readable
  text(): Promise<string>
}

/** A server that does not know `Expect: 100-continue` gets the body after this pause. */
const expectMs = 1000

/**
 * HTTP with bodies that are streamed, held back until the server wants them, and watched: `fetch` waits for ever on a
 * connection that is silent, and cannot send `Expect`.
 */
export class HttpClient {
  readonly #idleMs: number
  readonly #agents = sparingAgents()

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** @throws TargetError; the signal's reason. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const exchange = new Exchange(request, this.#agents, this.#idleMs)
    try {
      return await exchange.answer()
    } catch (error) {
      // The server ended a connection that it had kept for us, just when we used it.
      if (exchange.isStale) return new Exchange(request, this.#agents, this.#idleMs).answer()
      throw error
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }
}

/** One request and its answer. */
class Exchange {
  readonly #details: HttpRequest
  readonly #request: http.ClientRequest
  readonly #answer = Promise.withResolvers<http.IncomingMessage>()
  readonly #watchdog: NodeJS.Timeout
  /** Silence now is the server's. */
  #isWaiting = true
  #hasBegunBody = false
  #isAnswered = false
  /** Why we ended it. */
  #reason: unknown
  #error: NodeJS.ErrnoException | undefined

  constructor(details: HttpRequest, agents: Record<'http:' | 'https:', http.Agent>, idleMs: number) {
    this.#details = details
    const { method, url, headers, body, signal } = details
    signal?.throwIfAborted()
    const isSecure = url.protocol === 'https:'
    this.#request = (isSecure ? https : http).request(url, {
      method,
      headers: { ...headers, ...lengthOf(body), ...(isStreamed(body) ? { expect: '100-continue' } : {}) },
      agent: agents[isSecure ? 'https:' : 'http:'],
    })
    this.#answer.promise.catch(() => {})
    this.#watchdog = setTimeout(() => {
      if (this.#isWaiting)
        this.#end(new TargetError('ERR_TARGET_UNREACHABLE', `${url.host} was silent for ${idleMs} ms.`))
      else this.#watchdog.refresh()
    }, idleMs)
    const abort = () => this.#end(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#request.once('close', () => {
      clearTimeout(this.#watchdog)
      signal?.removeEventListener('abort', abort)
    })
    this.#request.once('response', (message) => {
      this.#isAnswered = true
      this.#answer.resolve(message)
    })
    this.#request.on('error', (error) => {
      this.#error = error
      this.#answer.reject(this.#reasonOf(error))
    })
  }

  get isStale(): boolean {
    const isCut = this.#error?.code === 'ECONNRESET' || this.#error?.code === 'EPIPE'
    return this.#request.reusedSocket && isCut && this.#reason === undefined && !this.#hasBegunBody
  }

  async answer(): Promise<HttpAnswer> {
    this.#send().catch((error: unknown) => {
      if (!this.#error) this.#end(error)
    })
    const message = await this.#answer.promise
    const chunks = () => this.#read(message)
    return {
      status: message.statusCode ?? 0,
      headers: message.headers,
      stream: () => Readable.from(chunks(), { objectMode: false, highWaterMark: 1 << 18 }),
      async text() {
        const all: Buffer[] = []
        for await (const chunk of chunks()) all.push(chunk)
        return Buffer.concat(all).toString()
      },
    }
  }

  async #send(): Promise<void> {
    const { body } = this.#details
    if (!isStreamed(body)) {
      this.#request.end(body)
      return
    }
    const answer = this.#answer.promise
    this.#request.flushHeaders()
    await Promise.race([once(this.#request, 'continue'), answer, sleep(expectMs, undefined, { ref: false })])
    if (this.#isAnswered || this.#request.destroyed) return
    this.#hasBegunBody = true
    this.#isWaiting = false
    for await (const chunk of body.open()) {
      if (this.#isAnswered || this.#request.destroyed) return
      const written = (error?: Error | null) => {
        if (!error) giveBack(chunk)
      }
      if (this.#request.write(chunk, written)) continue
      this.#wait(true)
      await Promise.race([once(this.#request, 'drain'), answer])
      this.#wait(false)
    }
    this.#wait(true)
    this.#request.end()
  }

  async *#read(message: http.IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
    if (this.#details.method === 'HEAD') {
      message.on('error', () => {}).resume()
      // Swift sends the end of a body after it, where none may be.
      if (message.headers['transfer-encoding'] !== undefined) this.#request.destroy()
      return
    }
    this.#wait(true)
    // A loop over the message itself would get copies: its chunks joined.
    const single = new PassThrough({ readableObjectMode: true, readableHighWaterMark: 1 })
    try {
      for await (const chunk of linkStreams(message, single, {
        translate: (error) => error,
      }) as AsyncIterable<Buffer>) {
        this.#wait(false)
        yield chunk
        this.#wait(true)
      }
    } catch (error) {
      throw this.#reasonOf(error)
    } finally {
      // It was answered before it was sent whole: nothing else can go over this connection.
      if (!this.#request.writableEnded) this.#request.destroy()
    }
  }

  #wait(isWaiting: boolean): void {
    this.#isWaiting = isWaiting
    this.#watchdog.refresh()
  }

  #end(reason: unknown): void {
    this.#reason ??= reason
    this.#answer.reject(this.#reason)
    this.#request.destroy()
  }

  #reasonOf(error: unknown): unknown {
    return this.#reason ?? networkError(error, this.#details.url)
  }
}

function isStreamed(body: Body | undefined): body is StreamedBody {
  return body !== undefined && !(body instanceof Uint8Array)
}

function lengthOf(body: Body | undefined): Record<string, string> {
  const length = body?.length
  return length === undefined ? {} : { 'content-length': String(length) }
}
