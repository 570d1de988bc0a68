import type { GlobalSettings, ManagerContext } from '@steward/manager-core'

/**
 * The settings of now. While they cannot be read those of before hold: a mistake in `config.sh` neither locks users out
 * nor is shown to callers without an identity.
 *
 * @throws ManagerError when they cannot be read at the start
 */
export function createCurrentSettings({ settings }: Pick<ManagerContext, 'settings'>): () => GlobalSettings {
  let last = settings.global
  return () => {
    try {
      last = settings.global
    } catch {
      // They cannot be read: the former ones still decide who may do what.
    }
    return last
  }
}
