// Stands in for `node:crypto`: what is random follows from the seed.
import { current, machine } from '../machine.js'

const real = globalThis.process.getBuiltinModule('node:crypto')

export const randomBytes = (count: number) => (current() ? machine.random.bytes(count) : real.randomBytes(count))

export const randomInt = (first: number, second?: number) => {
  const [min, max] = second === undefined ? [0, first] : [first, second]
  return min + machine.random.below(max - min)
}

export function randomUUID(): string {
  const hex = machine.random.bytes(16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

export const {
  createHash,
  createHmac,
  createSecretKey,
  getRandomValues,
  createPublicKey,
  createPrivateKey,
  generateKeyPairSync,
  timingSafeEqual,
  scrypt,
  scryptSync,
  webcrypto,
  X509Certificate,
  createCipheriv,
  createDecipheriv,
  hash,
  sign,
  verify,
} = real
