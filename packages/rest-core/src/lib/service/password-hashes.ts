import { RestError } from '../../errors.js'
import { accessOf } from '../rights/access.js'
import { hashPassword } from '../security/password.js'
import { Shares } from '../shares.js'
import type { BusinessObjects } from './business-objects.js'
import { callerOf } from './caller-of.js'
import type { ServiceContext } from './service-context.js'

/** The hash of a password, which takes long: made once for all attempts to write a body. */
export type HashOnce = (password: string) => Promise<string>

const hashesOf = new WeakMap<object, HashOnce>()

/** The hashes of the passwords in a body. */
export function hashesIn(body: unknown): HashOnce {
  if (typeof body !== 'object' || body === null) return hashPassword
  let hash = hashesOf.get(body)
  if (!hash) hashesOf.set(body, (hash = hashOnce()))
  return hash
}

/** Lets a body that is based on another one have its hashes. */
export function passHashes(from: unknown, to: object): void {
  if (typeof from === 'object' && from !== null) hashesOf.set(to, hashesIn(from))
}

function hashOnce(): HashOnce {
  const hashes = new Map<string, Promise<string>>()
  return (password) => {
    const hash = hashes.get(password) ?? hashPassword(password)
    hashes.set(password, hash)
    return hash
  }
}

/** Each hash keeps a thread busy that log-ins need too. Not specified; chosen as half of the threads that Node has. */
const turns = new Shares({
  total: 2,
  perUser: 1,
  maxWaitingPerUser: 100,
  waitMs: 60_000,
  refuse: (reason) =>
    reason === 'gone'
      ? new RestError('ERR_UNAVAILABLE', 'The client no longer waits for its passwords to be hashed.')
      : new RestError('ERR_UNAVAILABLE', 'Too many passwords are being hashed. Try again.', { retryAfterSeconds: 5 }),
})

/** Hashes when it is this user's turn; not for those who keep others waiting, by an open transaction. */
export async function hashInTurn(hash: HashOnce, password: string, user: string, signal?: AbortSignal): Promise<void> {
  const release = await turns.take(user, { signal })
  try {
    await hash(password)
  } finally {
    release()
  }
}

export function createPasswordHashes(context: ServiceContext): Pick<BusinessObjects, 'hashPasswords'> {
  return {
    async hashPasswords(principal, name, bodies, { signal } = {}) {
      const object = context.resolve(name)
      const access = accessOf(principal, object)
      const passwords = object.fields.filter(({ type }) => type.name === 'password')
      // Others are refused when they write.
      if (passwords.length === 0 || !(access.may('C') || access.may('U'))) return
      const { user = '' } = callerOf(principal)
      for (const body of bodies) {
        if (typeof body !== 'object' || body === null) continue
        for (const field of passwords) {
          const value = field.type.parse((body as Readonly<Record<string, unknown>>)[field.name], field)
          if (typeof value === 'string' && value !== '') await hashInTurn(hashesIn(body), value, user, signal)
        }
      }
    },
  }
}
