// Loaded into programs that tests start: hashes of passwords cost next to nothing, as by `useCheapPasswords()`.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
Object.assign(crypto, {
  /** @type {(...call: [crypto.BinaryLike, crypto.BinaryLike, number, crypto.ScryptOptions, () => void]) => void} */
  scrypt: (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: 16, p: 1 }, done),
})
syncBuiltinESMExports()
