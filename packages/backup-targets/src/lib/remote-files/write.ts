import { exists, partPath } from '../parts.js'
import { readSource } from '../sources.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source, StoredObject } from '../target.js'
import type { RemoteFiles } from './remote-files.js'

/** Bytes before a cut that are compared before an upload continues after it. */
const comparedBytes = 1 << 18

/** A server that hashes a large file gives no sign of life, so progress is reported at this interval. */
const waitMs = 5000

/** Writes to a file beside it, after what a former upload of this name left, and renames. */
export async function putFile(
  files: RemoteFiles,
  key: string,
  upload: string,
  source: Source,
  { signal, onProgress, ifAbsent = false }: PutOptions,
): Promise<StoredObject> {
  if (ifAbsent && (await files.stat(key, signal))) throw exists(key)
  const part = partPath(key, upload)
  const start = await resumableBytes(files, part, source, signal)
  let size = await write(start)
  let written = await files.stat(part, signal)
  const isMixed = async () =>
    // The session that was cut may have kept writing what it had received.
    written?.size !== size || (await isOther(files, part, upload, { signal, onWait: () => onProgress?.(size) }))
  if (start > 0 && (await isMixed())) {
    size = await write(0)
    written = await files.stat(part, signal)
  }
  if (written?.size !== size) {
    await files.remove(part, signal)
    const found = written ? `${written.size} bytes` : 'nothing'
    throw new TargetError('ERR_TARGET_DAMAGED', `The server has ${found} of "${key}" instead of ${size} bytes.`)
  }
  if (ifAbsent && !files.movesExclusively && (await files.stat(key, signal))) throw exists(key)
  signal?.throwIfAborted()
  await files.move(part, key, !ifAbsent, signal)
  return { key, size, modified: written.modified }

  async function write(from: number): Promise<number> {
    let sent = from
    let taken = from
    async function* counted(): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of readSource(source, { start: from, signal }) as AsyncIterable<Buffer>) {
        sent += chunk.length
        yield chunk
      }
    }
    if (from > 0) onProgress?.(from)
    if (from !== source.size || from === 0)
      await files.write(part, from, counted(), { signal, onBytes: (bytes) => onProgress?.((taken += bytes)) })
    return sent
  }
}

/** How many bytes of the partial file are the start of this source, judged by its last ones. */
async function resumableBytes(
  files: RemoteFiles,
  part: string,
  source: Source,
  signal: AbortSignal | undefined,
): Promise<number> {
  const there = await files.stat(part, signal)
  if (!there || there.size === 0 || source.size === undefined || there.size > source.size) return 0
  const from = Math.max(0, there.size - comparedBytes)
  const stored = await take(await files.read(part, from, there.size, signal), there.size - from)
  const expected = await take(readSource(source, { start: from, signal }), there.size - from)
  return stored.equals(expected) ? there.size : 0
}

/** The first bytes of a stream, at most that many; it is not read any further. */
async function take(stream: AsyncIterable<Uint8Array>, count: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    if ((bytes += chunk.length) >= count) break
  }
  return Buffer.concat(chunks).subarray(0, count)
}

/** Whether the server says that a file which was written in several goes is not what the upload is named after. */
async function isOther(
  files: RemoteFiles,
  part: string,
  upload: string,
  { signal, onWait }: { signal: AbortSignal | undefined; onWait(): void },
): Promise<boolean> {
  if (!files.sha256 || !/^[0-9a-f]{64}$/.test(upload)) return false
  const timer = setInterval(onWait, waitMs)
  try {
    return (await files.sha256(part, signal)) !== upload
  } finally {
    clearInterval(timer)
  }
}
