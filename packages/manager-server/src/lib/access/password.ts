import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ManagerContext } from '@steward/manager-core'

/** Holds on this machine only, where no other one is set. Not specified; chosen as the user's. */
export const defaultPassword = 'admin'

/**
 * Tells whether user and password are those of the settings of now. How long it takes tells nothing of them: hashes with
 * a key of this process are compared, not texts.
 */
export function createPasswordCheck({ settings }: Pick<ManagerContext, 'settings'>) {
  const key = randomBytes(32)
  const hash = (user: string, password: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([user, password]))
      .digest()
  return (user: string, password: string): boolean => {
    const { userName, password: configured } = settings.global
    return timingSafeEqual(hash(user, password), hash(userName, configured?.reveal() ?? defaultPassword))
  }
}
