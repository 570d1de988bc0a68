import { Readable } from 'node:stream'
import type { Bucket } from '@google-cloud/storage'
import { TargetError } from '../target-error.js'
import type { CallOptions } from '../target.js'

export interface Range extends CallOptions {
  readonly name: string
  /** Of this very object, also when it is replaced meanwhile. */
  readonly generation: string | number
  /** First and last byte. */
  readonly start: number
  readonly end: number
  readonly idleMs: number
}

/**
 * Reads a part of an object. Not by the client: streams of its that are destroyed end the process or go on in the
 * background (8.4).
 */
export async function download({ storage, name: bucket }: Bucket, range: Range): Promise<Readable> {
  const { name, generation, start, end, idleMs, signal } = range
  const url = new URL(`${storage.baseUrl}/b/${bucket}/o/${encodeURIComponent(name)}`)
  url.search = String(new URLSearchParams({ alt: 'media', generation: String(generation) }))
  const headers = await authorisation(storage)
  headers.set('range', `bytes=${start}-${end}`)
  headers.set('accept-encoding', 'identity')
  const silence = new AbortController()
  const timer = setTimeout(() => {
    silence.abort(new TargetError('ERR_TARGET_UNREACHABLE', `${url.host} did not answer for ${idleMs / 1000} s.`))
  }, idleMs)
  try {
    const response = await fetch(url, {
      headers,
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    })
    if (response.status === 206 && response.body) return Readable.fromWeb(response.body)
    const message = await response.text()
    throw Object.assign(new Error(message.slice(0, 200)), { status: response.status })
  } finally {
    clearTimeout(timer)
  }
}

/** Logs in; an address that is not Google's is only told who we are when a key was given for it. */
export async function authorisation(storage: Bucket['storage']): Promise<Headers> {
  const isAnonymous = storage.customEndpoint && !storage.useAuthWithCustomEndpoint
  return isAnonymous ? new Headers() : storage.authClient.getRequestHeaders(storage.baseUrl)
}
