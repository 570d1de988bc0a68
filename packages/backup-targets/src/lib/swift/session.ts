import { abortable } from '../abortable.js'
import { TargetError } from '../target-error.js'
import { answerError } from './errors.js'
import type { HttpClient, HttpAnswer, HttpRequest } from '../http/http-client.js'
import { logIn, type Access } from './login.js'
import type { SwiftSettings } from './settings.js'

export interface SwiftRequest extends Omit<HttpRequest, 'url'> {
  readonly container: string
  /** Undefined: the container itself. */
  readonly object?: string
  readonly query?: Readonly<Record<string, string>>
}

/** The store's description of itself. */
export interface StoreInfo {
  /** It is Swift itself: others with its API list wrong sizes. */
  readonly isSwift: boolean
  /** Objects in one page of a listing; undefined: unknown. */
  readonly pageLength: number | undefined
}

/** A user of a store: logs in with the first request, and again when the token is not known any more. */
export class Session {
  readonly #http: HttpClient
  readonly #settings: SwiftSettings
  #access: Promise<Access> | undefined
  #info: Promise<StoreInfo> | undefined

  constructor(http: HttpClient, settings: SwiftSettings) {
    this.#http = http
    this.#settings = settings
  }

  /** Whatever is answered, but a token that is not known any more. */
  async send({ container, object, query, headers, ...request }: SwiftRequest): Promise<HttpAnswer> {
    const { signal } = request
    for (let attempt = 1; ; attempt++) {
      const access = await this.#logIn(signal)
      const base = this.#settings.storageUrl ?? access.storageUrl
      const path =
        object === undefined ? encode(container) : `${encode(container)}/${object.split('/').map(encode).join('/')}`
      const url = new URL(`${base}/${path}`)
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
      const answer = await this.#http.send({
        ...request,
        url,
        headers: { ...headers, 'x-auth-token': access.token },
      })
      if (answer.status !== 401 || attempt === 2) return answer
      await answer.text()
      this.#access = undefined
    }
  }

  /** @throws TargetError when it is answered with anything but success. */
  async ask(request: SwiftRequest, attempted: string): Promise<HttpAnswer> {
    const answer = await this.send(request)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw await answerError(answer, attempted)
  }

  /** Asks `/info`, which needs no log-in and which a store need not have. */
  info(signal?: AbortSignal): Promise<StoreInfo> {
    this.#info ??= this.#askInfo(signal).catch((error: unknown) => {
      this.#info = undefined
      throw error
    })
    return this.#info
  }

  async #askInfo(signal?: AbortSignal): Promise<StoreInfo> {
    const { storageUrl } = await this.#logIn(signal)
    const url = new URL('/info', this.#settings.storageUrl ?? storageUrl)
    const answer = await this.#http.send({ method: 'GET', url, signal })
    const text = await answer.text()
    try {
      const { swift } = JSON.parse(text) as { swift?: { version?: string; container_listing_limit?: number } }
      return { isSwift: swift?.version !== undefined, pageLength: swift?.container_listing_limit }
    } catch {
      return { isSwift: false, pageLength: undefined }
    }
  }

  async #logIn(signal?: AbortSignal): Promise<Access> {
    // Not by the caller's signal: others wait for the same log-in.
    this.#access ??= logIn(this.#http, this.#settings.login).catch((error: unknown) => {
      this.#access = undefined
      throw error
    })
    signal?.throwIfAborted()
    return abortable(this.#access, signal)
  }
}

/** Reads an unused body to its end, so that the connection can be used again. */
export async function drop(answer: HttpAnswer): Promise<HttpAnswer> {
  await answer.text()
  return answer
}

/** `.` and `..` would be resolved before they are sent. */
function encode(part: string): string {
  if (part === '.' || part === '..') {
    throw new TargetError('ERR_TARGET_SETTINGS', `Swift: "${part}" cannot be a part of a name.`)
  }
  return encodeURIComponent(part)
}
