import { AssertionError, deepStrictEqual } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { TargetErrorCode } from '../target-error.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, GetOptions, ListOptions, StoredObject } from '../target.js'

/** What an object has, whole. */
export async function bytesOf(target: BackupTarget, key: string, options?: GetOptions): Promise<Buffer> {
  return readAll(await target.get(key, options))
}

export async function readAll(stream: Readable): Promise<Buffer> {
  return Buffer.concat((await stream.toArray()) as Buffer[])
}

/** Everything below a prefix, page by page. */
export async function listAll(target: BackupTarget, options: ListOptions): Promise<StoredObject[]> {
  const all: StoredObject[] = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const { objects, next } = await target.list({ ...options, cursor })
    all.push(...objects)
    if (next === undefined) return all
    if (seen.has(next)) throw new AssertionError({ message: `The list does not get on: its cursor came twice.` })
    seen.add(next)
    cursor = next
  }
}

export async function keysBelow(target: BackupTarget, prefix: string): Promise<string[]> {
  return (await listAll(target, { prefix })).map(({ key }) => key)
}

/** Compares without showing thousands of bytes. */
export function sameBytes(actual: Buffer, expected: Buffer, what = 'The object'): void {
  if (actual.equals(expected)) return
  const at = actual.findIndex((byte, index) => byte !== expected[index])
  const place = at === -1 ? `after ${actual.length} bytes` : `at byte ${at}`
  const sizes = actual.length === expected.length ? '' : ` (${actual.length} bytes instead of ${expected.length})`
  throw new AssertionError({ message: `${what} has another content ${place}${sizes}.` })
}

export function same(actual: unknown, expected: unknown, message: string): void {
  try {
    deepStrictEqual(actual, expected)
  } catch {
    const show = (value: unknown) => JSON.stringify(value) ?? 'undefined'
    throw new AssertionError({ message: `${message}: ${show(actual)} instead of ${show(expected)}.` })
  }
}

export function holds(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError({ message })
}

/** That a call fails as it should. */
export async function failsWith(
  call: Promise<unknown>,
  codes: readonly TargetErrorCode[] | 'any',
  what: string,
): Promise<TargetError> {
  const error = await failureOf(call, what)
  if (!TargetError.is(error))
    throw new AssertionError({ message: `${what} failed with what is no TargetError: ${String(error)}` })
  if (codes === 'any' || codes.includes(error.code)) return error
  throw new AssertionError({
    message: `${what} failed with ${error.code} instead of ${codes.join(' or ')}: ${error.message}`,
  })
}

export async function failsBecauseOf(reason: unknown, call: Promise<unknown>, what: string): Promise<void> {
  const error = await failureOf(call, what)
  if (error === reason) return
  throw new AssertionError({ message: `${what} failed with another error than the reason: ${String(error)}` })
}

async function failureOf(call: Promise<unknown>, what: string): Promise<unknown> {
  return call.then(
    () => Promise.reject(new AssertionError({ message: `${what} did not fail.` })),
    (error: unknown) => error,
  )
}

/** That no call shows an object. */
export async function isNowhere(target: BackupTarget, key: string, when: string): Promise<void> {
  same(await target.stat(key), undefined, `stat() ${when}`)
  same(await keysBelow(target, key), [], `list() ${when}`)
  await failsWith(bytesOf(target, key), ['ERR_TARGET_NOT_FOUND'], `get() ${when}`)
}

export function hexHash(algorithm: 'sha256' | 'md5' | 'crc32c', bytes: Buffer): string {
  return algorithm === 'crc32c' ? crc32c(bytes) : createHash(algorithm).update(bytes).digest('hex')
}

/** CRC-32C (Castagnoli), bit by bit: for small objects. */
function crc32c(bytes: Buffer): string {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}
