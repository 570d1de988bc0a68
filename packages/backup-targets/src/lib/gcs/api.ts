import type { Bucket } from '@google-cloud/storage'
import type { HttpAnswer, HttpClient, HttpRequest } from '../http/http-client.js'
import { toTargetError } from './errors.js'

/**
 * The JSON API of a bucket. Google's client logs in and knows addresses; its calls are not made (8.4): they cannot be
 * aborted, wait for ever on a connection that is silent, and those that are left alone continue in the background, and end
 * the process by errors that cannot be caught.
 */
export interface Api {
  readonly http: HttpClient
  readonly bucket: Bucket
  /** Starts the names of all objects. */
  readonly prefix: string
  /** How much of an upload one request sends. */
  readonly pieceBytes: number
}

/** What the store returns about an object. */
export interface ObjectResource {
  readonly name?: string
  readonly size?: string
  readonly updated?: string
  readonly generation?: string
  /** In base64. */
  readonly md5Hash?: string
  readonly crc32c?: string
}

export interface ApiRequest extends Omit<HttpRequest, 'url'> {
  readonly url: string | URL
  /** For messages: `Cannot store "a/b"`. */
  readonly what: string
  /** Statuses that are no failures. */
  readonly expected: readonly number[]
}

/** Makes one request as who we are. @throws TargetError */
export async function send({ http, bucket: { storage } }: Api, request: ApiRequest): Promise<HttpAnswer> {
  const { url, what, expected, headers, ...rest } = request
  // An address that is not Google's gets our identity only when a key was given for it.
  const isAnonymous = storage.customEndpoint && !storage.useAuthWithCustomEndpoint
  try {
    const login = isAnonymous ? [] : await storage.authClient.getRequestHeaders(storage.baseUrl)
    const all = { ...Object.fromEntries(login), ...headers }
    const answer = await http.send({ ...rest, url: new URL(url), headers: all })
    if (expected.includes(answer.status)) return answer
    throw refusal(answer.status, await answer.text())
  } catch (error) {
    request.signal?.throwIfAborted()
    throw toTargetError(error, what)
  }
}

/** {@link send}, with an answer in JSON; undefined: it was empty. */
export async function call<T>(api: Api, request: ApiRequest): Promise<T> {
  const answer = await send(api, request)
  const text = await answer.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Address of the objects of the bucket, or of one. */
export function urlOf({ bucket: { storage, name: bucket } }: Api, name?: string): string {
  return `${storage.baseUrl}/b/${bucket}/o${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}

/** In the shape of the client's errors. */
function refusal(status: number, text: string): Error {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    data = undefined
  }
  return Object.assign(new Error(`HTTP ${status} ${text.slice(0, 200)}`), { response: { status, data } })
}
