import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import http from 'node:http'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RestError } from '@steward/rest-core/errors'
import { isPrivateAddress, publicLookup } from '@steward/rest-koa'

export interface DownloadOptions {
  /** File that is made. */
  readonly path: string
  readonly maxBytes: number
  /** Also from addresses of private networks and of this machine. */
  readonly privateAddresses: boolean
  /** For the whole download, in ms. Default 60,000. */
  readonly timeoutMs?: number
}

const mostRedirects = 3

/**
 * Loads an http or https address into a file. The address that a name stands for is checked when the connection is made,
 * so that it cannot change in between.
 *
 * @throws RestError ERR_BAD_REQUEST, ERR_TOO_LARGE; no file is left then
 */
export async function download(address: string, options: DownloadOptions): Promise<void> {
  const { path, maxBytes, timeoutMs = 60_000 } = options
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const response = await request(parseUrl(address), options, signal, mostRedirects)
    await pipeline(response, atMost(maxBytes), createWriteStream(path, { mode: 0o600, flags: 'wx' }), { signal })
  } catch (error) {
    await rm(path, { force: true })
    if (RestError.is(error)) throw error
    const reason = signal.aborted ? `it takes longer than ${timeoutMs} ms` : (error as Error).message
    throw refused(address, reason, error)
  }
}

async function request(
  url: URL,
  options: DownloadOptions,
  signal: AbortSignal,
  redirects: number,
): Promise<IncomingMessage> {
  const { privateAddresses } = options
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!privateAddresses && isIP(host) !== 0 && isPrivateAddress(host)) throw privateRefused(url.href)
  const { get } = url.protocol === 'https:' ? https : http
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(
      url,
      { signal, ...(!privateAddresses && { lookup: publicLookup((name) => privateRefused(`http://${name}/`)) }) },
      resolve,
    ).once('error', reject)
  })
  const { statusCode = 0, headers } = response
  if (statusCode === 200) return response
  response.destroy()
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    if (redirects === 0) throw refused(url.href, 'it redirects too often')
    return request(parseUrl(new URL(headers.location, url).href), options, signal, redirects - 1)
  }
  throw refused(url.href, `it answers ${statusCode}`)
}

function parseUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new RestError('ERR_BAD_REQUEST', 'The parameter "url" must be an http or https address.')
}

function atMost(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= maxBytes) done(null, chunk)
      else done(new RestError('ERR_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`))
    },
  })
}

function privateRefused(address: string): RestError {
  return refused(address, 'it is in a private network; "io.privateUrls" of app.yaml allows that')
}

/** Without user, password and query, which may be secrets. */
function refused(address: string, reason: string, cause?: unknown): RestError {
  const { origin, pathname } = new URL(address)
  return new RestError('ERR_BAD_REQUEST', `${origin}${pathname} cannot be loaded: ${reason}.`, { cause })
}
