import { Readable } from 'node:stream'
import type { S3 } from '@aws-sdk/client-s3'
import pRetry from 'p-retry'
import { TargetError } from '../target-error.js'
import type { S3Connection } from './connection.js'

/** Attempts at one request, so that a large upload bears many short disturbances. */
const retries = 2
const sliceBytes = 1 << 16

/** The store, with what the system still buffers, may take this many times longer at the end than in the middle. */
export const patience = 5

export interface BytesToSend {
  readonly key: string
  readonly bytes: Buffer
  readonly md5: Buffer
  readonly signal: AbortSignal | undefined
  /** Called whenever some of them are on their way. */
  readonly onMove: () => void
}

/** What a request takes of them. */
export interface BodyFields {
  readonly Body: Readable | Buffer
  readonly ContentLength: number
  /** The store refuses bytes that have another one. */
  readonly ContentMD5: string
}

/**
 * Sends bytes as the body of one request, again after failures that pass. An attempt in which no byte moves for `idleMs`
 * is given up; it may take as long as it likes otherwise.
 */
export function sendBytes<T>(
  connection: S3Connection,
  { key, bytes, md5, signal, onMove }: BytesToSend,
  send: (
    s3: S3,
    body: BodyFields,
    request: { readonly abortSignal: AbortSignal | undefined; readonly requestTimeout: number },
  ) => Promise<T>,
): Promise<T> {
  const { idleMs } = connection.settings
  const isToRetry = ({ error }: { error: Error }) => TargetError.is(error) && error.transient
  const attemptOnce = async (): Promise<T> => {
    const silence = new AbortController()
    const watch = (ms: number) =>
      setTimeout(() => {
        silence.abort(new TargetError('ERR_TARGET_UNREACHABLE', `No byte of ${key} moved for ${ms / 1000} s.`))
      }, ms)
    let watchdog = watch(idleMs)
    const moved = () => {
      watchdog.refresh()
      onMove()
    }
    const handedOver = () => {
      clearTimeout(watchdog)
      watchdog = watch(patience * idleMs)
    }
    const fields = {
      Body: bytes.length === 0 ? bytes : slices(bytes, moved, handedOver),
      ContentLength: bytes.length,
      ContentMD5: md5.toString('base64'),
    }
    const any = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
    try {
      return await connection.call((s3, request) => send(s3, fields, { ...request, requestTimeout: 0 }), {
        key,
        signal: any,
      })
    } finally {
      clearTimeout(watchdog)
    }
  }
  return pRetry(attemptOnce, { retries, minTimeout: 250, randomize: true, shouldRetry: isToRetry, signal })
}

function slices(bytes: Buffer, onRead: () => void, onEnd: () => void): Readable {
  function* each() {
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      onRead()
      yield bytes.subarray(at, at + sliceBytes)
    }
    onEnd()
  }
  return Readable.from(each(), { objectMode: false })
}
