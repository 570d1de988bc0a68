import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TargetError } from '../target-error.js'
import { failsWith } from './expect.js'
import type { BackupTarget, PutOptions, Source, TargetCapabilities } from '../target.js'

const pieceBytes = 1 << 16

/** All values of a byte, line ends of all kinds, and more that no compression makes smaller. */
export function madeUpBytes(size = 5000): Buffer {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  return Buffer.concat([every, Buffer.from('\r\n\n\r\u001a\0'), randomBytes(size)]).subarray(0, size)
}

/** Bytes in pieces, as files and networks give them. */
export function pieces(bytes: Buffer, size: number | undefined = bytes.length): Source {
  return { size, open: (start = 0) => Readable.from(slices(bytes, start), { objectMode: false }) }
}

function* slices(bytes: Buffer, start: number, end = bytes.length) {
  for (let at = start; at < end; at += pieceBytes) yield bytes.subarray(at, Math.min(end, at + pieceBytes))
}

/** A source that stops after some bytes until the check lets it continue. */
export function gated(bytes: Buffer, at = Math.ceil(bytes.length / 2)) {
  let open = () => {}
  let arrive = () => {}
  const released = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (arrive = resolve))
  async function* content(start: number) {
    if (start < at) yield* slices(bytes, start, at)
    arrive()
    await released
    yield* slices(bytes, Math.max(start, at))
  }
  const source: Source = {
    size: bytes.length,
    open: (start = 0) => Readable.from(content(start), { objectMode: false, highWaterMark: 1 }),
  }
  return { source, reached, release: () => open() }
}

/** A source that fails in the middle. */
export function failingAfter(bytes: Buffer, at: number): Source {
  function* content(start: number) {
    yield* slices(bytes, start, at)
    throw new Error('the source failed')
  }
  return { size: bytes.length, open: (start = 0) => Readable.from(content(start), { objectMode: false }) }
}

/** How big an object is of which a part has surely arrived when it is cut. */
export function cutPlan({ multipart }: TargetCapabilities) {
  const part = multipart?.partBytes ?? 1 << 20
  return { size: 2 * part + 5000, cutAt: part + (part >> 1), arrived: multipart ? part : part >> 1 }
}

/**
 * Starts an upload and lets its source fail after a part of it, when that has arrived as far as the target reports.
 *
 * @param restMs time to wait afterwards: what the target has handed over may still be on its way
 */
export async function cutUpload(
  target: BackupTarget,
  key: string,
  bytes: Buffer,
  options: PutOptions = {},
  restMs = 0,
): Promise<TargetError> {
  const { cutAt, arrived } = cutPlan(target.capabilities)
  const told = { progress: 0 }
  // A transfer that starts over may be cut before anything has arrived; one that resumes needs its bytes there, even if slowly.
  const patienceMs = target.capabilities.resume === 'none' ? 200 : 30_000
  async function* content(start: number) {
    yield* slices(bytes, start, cutAt)
    for (let waited = 0; told.progress < arrived && waited < patienceMs; waited += 20) await sleep(20)
    await sleep(restMs)
    throw new Error('the source was cut')
  }
  const source: Source = {
    size: bytes.length,
    open: (start = 0) => Readable.from(content(start), { objectMode: false }),
  }
  const onProgress = (at: number) => (told.progress = at)
  return failsWith(target.put(key, source, { ...options, onProgress }), 'any', 'put() of a source that fails')
}

/** Parts so big make checks slow and dear. */
export function tooBigParts({ multipart }: TargetCapabilities): string | undefined {
  const most = 16 << 20
  if (multipart === undefined || multipart.partBytes <= most) return undefined
  return `its parts have ${multipart.partBytes >> 20} MB, which is much for a check`
}
