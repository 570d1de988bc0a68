import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'

/** How much work one hash is. Memory is `128 · 2^logN · r` bytes. */
export interface ScryptCost {
  /** Base-2 logarithm of the iterations, 1 to 20. */
  readonly logN: number
  /** Block size, 1 to 32. */
  readonly r: number
  /** Repetitions one after the other, 1 to 16. */
  readonly p: number
}

/**
 * Not specified; chosen from the equivalent settings of OWASP's Password Storage Cheat Sheet the one with the least
 * memory (16 MiB), because several hashes are checked at once in a server with little.
 */
const defaultCost: ScryptCost = { logN: 14, r: 8, p: 5 }

const saltBytes = 16
const hashBytes = 32

/** Text of a hash: the PHC string format, `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`, in base64 without padding. */
const phc = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/**
 * A salted scrypt hash of the password as text of about 100 characters, which holds its own parameters.
 * Passwords are compared as Unicode in normal form C, so that they may be typed on any system.
 *
 * @throws RangeError for a cost out of range.
 */
export async function hashPassword(password: string, cost: ScryptCost = defaultCost): Promise<string> {
  if (!inRange(cost))
    throw new RangeError(`Cannot hash a password with the scrypt cost ${JSON.stringify(cost)}: it is out of range.`)
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, cost, hashBytes)
  return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`
}

/**
 * Whether the password is the one of the hash. Give `undefined` (or anything that is not a hash) for a user who does
 * not exist or has no password: the answer is `false` and takes as long as for one who has.
 */
export async function verifyPasswordHash(password: string, hash: string | undefined): Promise<boolean> {
  const stored = hash === undefined ? undefined : parse(hash)
  if (!stored) {
    await derive(password, Buffer.alloc(saltBytes), defaultCost, hashBytes)
    return false
  }
  const isRight = timingSafeEqual(await derive(password, stored.salt, stored.cost, stored.hash.length), stored.hash)
  // HMAC fills short keys up with zeros, so that NUL characters at the end would make no difference.
  return isRight && !password.endsWith('\0')
}

function parse(text: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } | undefined {
  const [, logN, r, p, salt, hash] = phc.exec(text) ?? []
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  if (salt === undefined || hash === undefined || !inRange(cost)) return undefined
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

/** Keeps a wrong or planted cost from asking for gigabytes or minutes. */
function inRange({ logN, r, p }: ScryptCost): boolean {
  return within(logN, 20) && within(r, 32) && within(p, 16) && 128 * 2 ** logN * r <= 2 ** 28
}

function within(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

function derive(password: string, salt: Buffer, { logN, r, p }: ScryptCost, bytes: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 128 * r * (2 ** logN + p) + 2 ** 20 }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
