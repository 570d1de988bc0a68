import type { GlobalSettings, ManagerContext } from '@steward/manager-core'

/**
 * The settings of now. While they cannot be read those of before hold: a mistake in `config.sh` neither locks users out
 * nor is shown to callers without an identity.
 *
 * @throws ManagerError when the file, or what access needs of it, cannot be used at the start
 */
export function createCurrentSettings({ settings }: Pick<ManagerContext, 'settings'>): () => GlobalSettings {
  let last = settings.global
  // Without these nothing is known of who may do what.
  void [last.trustedProxies, last.clientAbilities, last.ssl, last.logInAttempts, last.baseUrl]
  return () => {
    try {
      last = settings.global
    } catch {
      // They cannot be read: the former ones still decide who may do what.
    }
    return last
  }
}
