import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Recipient } from 'age-encryption'

/**
 * The payload of the format `age-encryption.org/v1` by Node's own cipher: the library `age-encryption`, whose cipher is
 * slow (70 MB/s) and leaves much to collect, makes and reads the headers, with the keys in them. Source:
 * https://age-encryption.org/v1, "Payload".
 */
const cipher = 'chacha20-poly1305'
const chunkBytes = 1 << 16
const tagBytes = 16
const nonceBytes = 16
/** Not specified; chosen as room for hundreds of recipients. */
const mostHeaderBytes = 1 << 20

export interface Header {
  readonly bytes: Uint8Array
  readonly fileKey: Uint8Array
}

/** @param recipients `age1…`, or one who wraps a key otherwise */
export async function createHeader(recipients: readonly (string | Recipient)[]): Promise<Header> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  let fileKey = new Uint8Array()
  const listener = (key: Uint8Array) => {
    fileKey = Uint8Array.from(key)
    return []
  }
  encrypter.addRecipient({ wrapFileKey: listener })
  const empty = await encrypter.encrypt(new Uint8Array())
  return { bytes: empty.subarray(0, empty.length - nonceBytes - tagBytes), fileKey }
}

export async function* encryptFile(source: AsyncIterable<Buffer>, { bytes, fileKey }: Header): AsyncGenerator<Buffer> {
  const nonce = randomBytes(nonceBytes)
  yield Buffer.concat([bytes, nonce])
  const key = payloadKey(fileKey, nonce)
  let index = 0
  for await (const { chunk, isLast } of chunksOf(source, chunkBytes)) {
    const encipher = createCipheriv(cipher, key, nonceOf(index++, isLast), { authTagLength: tagBytes })
    yield encipher.update(chunk)
    encipher.final()
    yield encipher.getAuthTag()
  }
}

/**
 * @param fileKeyOf opens a header
 * @throws what `fileKeyOf` throws; Error when it was changed or cut off
 */
export async function* decryptFile(
  source: AsyncIterable<Buffer>,
  fileKeyOf: (header: Uint8Array) => Promise<Uint8Array>,
): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]()
  try {
    const { header, nonce, rest } = await readBegin(pieces)
    const key = payloadKey(await fileKeyOf(header), nonce)
    let index = 0
    for await (const { chunk, isLast } of chunksOf(behind(rest, pieces), chunkBytes + tagBytes)) {
      const plainBytes = chunk.length - tagBytes
      // Only what is empty as a whole has an empty last chunk.
      if (plainBytes < 0 || (plainBytes === 0 && index > 0)) throw new Error('it is cut off')
      const decipher = createDecipheriv(cipher, key, nonceOf(index++, isLast), { authTagLength: tagBytes })
      decipher.setAuthTag(chunk.subarray(plainBytes))
      const plain = decipher.update(chunk.subarray(0, plainBytes))
      // It throws when this is not what was encrypted.
      decipher.final()
      yield plain
    }
  } finally {
    await pieces.return?.()
  }
}

async function readBegin(pieces: AsyncIterator<Buffer>) {
  let begin: Buffer = Buffer.alloc(0)
  for (;;) {
    const end = endOfHeader(begin)
    if (end !== -1 && begin.length >= end + nonceBytes) {
      const payload = end + nonceBytes
      return { header: begin.subarray(0, end), nonce: begin.subarray(end, payload), rest: begin.subarray(payload) }
    }
    if (begin.length > mostHeaderBytes) throw new Error('it has no header of an encrypted file')
    const { done, value } = await pieces.next()
    if (done) throw new Error('it is cut off')
    begin = Buffer.concat([begin, value])
  }
}

/** Index behind it; -1: not all of it is there yet. */
function endOfHeader(bytes: Buffer): number {
  const last = bytes.indexOf('\n--- ')
  return last === -1 ? -1 : bytes.indexOf('\n', last + 1) + 1 || -1
}

function payloadKey(fileKey: Uint8Array, nonce: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', fileKey, nonce, 'payload', 32))
}

/** A counter of 11 bytes, and whether it is the last one. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

async function* behind(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value
}

/** Of equal size, but for the last one, which is empty only when there is nothing. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number) {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of source) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = 0
    for (; rest.length - at > size; at += size) yield { chunk: rest.subarray(at, at + size), isLast: false }
    rest = rest.subarray(at)
  }
  yield { chunk: rest, isLast: true }
}
