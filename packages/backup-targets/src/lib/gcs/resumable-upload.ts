import type { CRC32C } from '@google-cloud/storage'
import pRetry from 'p-retry'
import { partsOf, type Part } from '../source-parts.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source } from '../target.js'
import { send, type Api, type ObjectResource } from './api.js'

const sliceBytes = 1 << 16
/** Attempts at one piece after the first. */
const retries = 2

export interface ResumableUpload extends PutOptions {
  /** Name of the object. */
  readonly name: string
  /** For messages. */
  readonly what: string
  /** Counts what is sent. */
  readonly hash: CRC32C
  /** Address of an upload that was cut, which continues. */
  readonly uri: string | undefined
  /** Called with the address of a new one. */
  readonly onUri: (uri: string) => void
}

/** How far an upload is: that many bytes have arrived, or all. */
type UploadState = { readonly arrived: number; readonly stored?: never } | { readonly stored: ObjectResource }

/** Sends all bytes of a source in pieces, by a resumable upload. */
export async function uploadInPieces(
  api: Api,
  source: Source,
  options: ResumableUpload,
): Promise<{ size: number; stored: ObjectResource }> {
  const { signal, hash, uri, onUri } = options
  const { pieceBytes } = api
  const memory = Buffer.allocUnsafeSlow(Math.min(pieceBytes, source.size ?? pieceBytes))
  const parts = partsOf(source, () => memory, signal)
  let address = uri
  let state: UploadState = address === undefined ? { arrived: 0 } : await ask(api, address, options)
  // The answer to its last piece was lost.
  const wasWhole = state.stored !== undefined
  let size = 0
  for await (const part of parts) {
    hash.update(part.bytes)
    if (address === undefined) onUri((address = await begin(api, options)))
    state = await sendPiece(api, address, { part, start: size }, state, options)
    size += part.bytes.length
    if (part.isLast && state.stored) return { size, stored: state.stored }
    if (state.stored && !wasWhole) throw endedEarly(options)
  }
  throw endedEarly(options)
}

async function begin(api: Api, { name, ifAbsent, signal, what }: ResumableUpload): Promise<string> {
  const { storage, name: bucket } = api.bucket
  const query = new URLSearchParams({ uploadType: 'resumable', name })
  if (ifAbsent) query.set('ifGenerationMatch', '0')
  const answer = await send(api, {
    method: 'POST',
    url: `${storage.apiEndpoint}/upload/storage/v1/b/${bucket}/o?${String(query)}`,
    headers: { 'x-upload-content-type': 'application/octet-stream' },
    body: new Uint8Array(),
    expected: [200],
    signal,
    what,
  })
  await answer.text()
  return answer.headers.location ?? ''
}

/** Sends what has not arrived of a piece, and asks how far it came after a failure. */
async function sendPiece(
  api: Api,
  uri: string,
  { part, start }: { readonly part: Part; readonly start: number },
  before: UploadState,
  options: ResumableUpload,
): Promise<UploadState> {
  let state = before
  const end = start + part.bytes.length
  const attempt = async (number: number): Promise<UploadState> => {
    if (number > 1) state = await ask(api, uri, options)
    while (!state.stored && (state.arrived < end || part.isLast)) {
      if (state.arrived < start || state.arrived > end) throw forgotten(options)
      state = await put(
        api,
        uri,
        { rest: part.bytes.subarray(state.arrived - start), at: state.arrived, part },
        options,
      )
      if (!state.stored) options.onProgress?.(state.arrived)
    }
    return state
  }
  const isToRetry = ({ error }: { error: Error }) => TargetError.is(error) && error.transient
  return pRetry(attempt, { retries, minTimeout: 250, randomize: true, shouldRetry: isToRetry, signal: options.signal })
}

async function put(
  api: Api,
  uri: string,
  { rest, at, part }: { readonly rest: Buffer; readonly at: number; readonly part: Part },
  options: ResumableUpload,
): Promise<UploadState> {
  const { hash, onProgress, signal } = options
  const end = at + rest.length
  async function* slices() {
    for (let done = 0; done < rest.length; done += sliceBytes) {
      onProgress?.(at)
      yield rest.subarray(done, done + sliceBytes)
    }
  }
  const bytes = rest.length === 0 ? '*' : `${at}-${end - 1}`
  const headers: Record<string, string> = { 'content-range': `bytes ${bytes}/${part.isLast ? end : '*'}` }
  if (part.isLast) headers['x-goog-hash'] = `crc32c=${hash.toString()}`
  const body = { length: rest.length, open: slices }
  return request(api, uri, { headers, body: rest.length === 0 ? new Uint8Array() : body, signal }, options)
}

/** How far the upload is. */
function ask(api: Api, uri: string, options: ResumableUpload): Promise<UploadState> {
  const headers = { 'content-range': 'bytes */*' }
  return request(api, uri, { headers, body: new Uint8Array(), signal: options.signal }, options)
}

async function request(
  api: Api,
  uri: string,
  details: Pick<Parameters<typeof send>[1], 'headers' | 'body' | 'signal'>,
  { what }: ResumableUpload,
): Promise<UploadState> {
  const answer = await send(api, { ...details, method: 'PUT', url: uri, expected: [200, 201, 308], what })
  const text = await answer.text()
  if (answer.status !== 308) return { stored: JSON.parse(text) as ObjectResource }
  const last = /^bytes=0-(\d+)$/.exec(String(answer.headers['range']))?.[1]
  return { arrived: last === undefined ? 0 : Number(last) + 1 }
}

function endedEarly({ what }: ResumableUpload): TargetError {
  return new TargetError('ERR_TARGET_DAMAGED', `${what}: the store ended the upload before all was sent.`)
}

function forgotten({ what }: ResumableUpload): TargetError {
  return new TargetError('ERR_TARGET_NOT_FOUND', `${what}: the store has forgotten what was sent.`)
}
