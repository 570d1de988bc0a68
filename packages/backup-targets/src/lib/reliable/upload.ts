import { createHash } from 'node:crypto'
import { Transform, type Readable } from 'node:stream'
import { callbackify } from 'node:util'
import { AbortError } from 'p-retry'
import { giveBack } from '../lent.js'
import { linkStreams } from '../link-streams.js'
import { readSource } from '../sources.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, PutOptions, Source, StoredObject } from '../target.js'
import type { Limit } from './limit.js'
import { retry, type RetryAttempt, type RetryPolicy } from './retry.js'

/** A store may think for that many times longer about an object that it has whole: it joins parts, or waits for its disk. */
const patience = 10

/** Stores an object, and continues with it after a cut. */
export function upload(
  target: BackupTarget,
  key: string,
  source: Source,
  options: PutOptions,
  policy: RetryPolicy,
  limit: Limit | undefined,
): Promise<StoredObject> {
  const limited = limit && callbackify(limit)
  let failure: unknown
  let furthest = -1

  return retry(policy, options.signal, async (attempt) => {
    const { signal, watchdog } = attempt
    let isOver = false
    let refusal: unknown
    const onProgress = (bytes: number) => {
      if (isOver) return
      watchdog.touch()
      if (bytes <= furthest) return
      furthest = bytes
      options.onProgress?.(bytes)
    }
    const again: Source = {
      size: source.size,
      async open(start = 0) {
        try {
          return watched(await source.open(start), attempt)
        } catch (error) {
          refusal = error
          throw error
        }
      },
    }
    try {
      return await target.put(key, again, { ...options, signal, onProgress })
    } catch (error) {
      // It can be read once only: what counts is why it would have been needed again.
      if (refusal !== undefined && failure !== undefined) throw new AbortError(failure as Error)
      const isOurs = failure !== undefined && options.ifAbsent && (await isStored(error, attempt))
      if (isOurs) return isOurs
      throw (failure = error)
    } finally {
      isOver = true
    }
  })

  function watched(stream: Readable, { signal, watchdog }: RetryAttempt) {
    const touch = () => watchdog.touch()
    const seen = new Transform({
      readableHighWaterMark: 1 << 18,
      transform(chunk: Buffer, _encoding, done) {
        touch()
        if (limited) limited(chunk.length, touch, (error) => done(error, chunk))
        else done(null, chunk)
      },
    })
    // All that it gave was taken: it is the source that is waited for.
    watchdog.isExcused = () => !seen.destroyed && !seen.writableEnded && seen.readableLength === 0
    seen.once('end', () => watchdog.allow(patience * policy.idleMs))
    return linkStreams(stream, seen, { signal, translate: (error) => error })
  }

  /** An attempt before may have stored it although its answer was lost. */
  async function isStored(refused: unknown, { signal, watchdog }: RetryAttempt): Promise<StoredObject | undefined> {
    if (!TargetError.is(refused) || refused.code !== 'ERR_TARGET_EXISTS') return undefined
    const onChunk = () => watchdog.touch()
    const found = await target.stat(key, { signal })
    if (found === undefined || (source.size !== undefined && found.size !== source.size)) return undefined
    const [there, own] = await Promise.all([
      sha256(await target.get(key, { signal }), onChunk),
      sha256(readSource(source, { signal }), onChunk),
    ])
    return there === own ? found : undefined
  }
}

async function sha256(stream: Readable, onChunk: () => void): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk)
    giveBack(chunk)
    onChunk()
  }
  return hash.digest('hex')
}
