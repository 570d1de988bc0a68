import { createCipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto'

/** What makes values: the same input gives the same output as long as the key is the same. */
export interface AnonymisationKey {
  /** 32 bytes that cannot be guessed or reversed without the key. */
  digest(purpose: string, value: string): Buffer
  /**
   * Another number of 0 to `size` - 1: within one domain no two numbers become the same.
   *
   * @param domain names the permutation
   */
  permute(domain: string, size: bigint, value: bigint): bigint
}

/** @param seed absent: a key that is known nowhere else and forgotten afterwards */
export function createKey(seed?: string): AnonymisationKey {
  const secret = seed === undefined ? randomBytes(32) : createHmac('sha256', 'steward anonymise').update(seed).digest()
  // Ten times as fast as with the bytes themselves.
  const prepared = createSecretKey(secret)
  const digest = (purpose: string, value: string) =>
    createHmac('sha256', prepared).update(`${purpose}\0${value}`).digest()
  const tags = new Map<string, Buffer>()
  const tagOf = (domain: string) => {
    const tag = tags.get(domain) ?? digest('domain', domain)
    tags.set(domain, tag)
    return tag
  }
  const cipher = createCipheriv('aes-128-ecb', digest('permutation', '').subarray(0, 16), null).setAutoPadding(false)

  const block = Buffer.alloc(16)

  return { digest, permute }

  /** A Feistel network over the next power of 4, walked until it ends within the domain. */
  function permute(domain: string, size: bigint, value: bigint): bigint {
    if (size <= 1n) return value
    const bits = BigInt(Math.max(1, Math.ceil((size - 1n).toString(2).length / 2)))
    const mask = (1n << bits) - 1n
    const tag = tagOf(`${domain} ${size}`)
    let walked = value
    do {
      let [left, right] = [walked >> bits, walked & mask]
      for (let round = 0; round < rounds; round++) [left, right] = [right, left ^ (roundOf(tag, round, right) & mask)]
      walked = (left << bits) | right
    } while (walked >= size)
    return walked
  }

  /** @param half of at most 64 bits: numbers have at most 38 digits */
  function roundOf(tag: Buffer, round: number, half: bigint): bigint {
    tag.copy(block, 0, 0, 7)
    block[7] = round
    block.writeBigUInt64BE(half, 8)
    return cipher.update(block).readBigUInt64BE()
  }
}

const rounds = 4

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** 5 bits a character, at most 51 characters. */
export function lettersOf(digest: Buffer, count: number): string {
  let [text, bits, held] = ['', 0, 0]
  for (const byte of digest) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5 && text.length < count) {
      text += alphabet[(held >> (bits - 5)) & 31]
      bits -= 5
    }
  }
  return text
}
