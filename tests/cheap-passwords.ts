import crypto from 'node:crypto'
import type { BinaryLike, ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll } from 'vitest'

const { scrypt } = crypto

/** Does it in a program that a test starts, as `node --import <this> program.js`. */
export const cheapPasswords = new URL('./programs/cheap-passwords.mjs', import.meta.url).href

/**
 * Hashes of passwords cost next to nothing in the tests of the surrounding group, whatever cost they name. They
 * are meant to take long, which is not the subject there, and fit only processes that do the same.
 */
export function useCheapPasswords(): void {
  beforeAll(() => replaceScrypt(cheap as typeof scrypt))
  afterAll(() => replaceScrypt(scrypt))
}

function cheap(
  password: BinaryLike,
  salt: BinaryLike,
  length: number,
  options: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
): void {
  scrypt(password, salt, length, { ...options, N: 16, p: 1 }, done)
}

/** For all modules of this process. */
export function replaceScrypt(other: typeof scrypt): void {
  crypto.scrypt = other
  syncBuiltinESMExports()
}
