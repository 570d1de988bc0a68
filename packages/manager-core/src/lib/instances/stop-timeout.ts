import { ManagerError } from '../../errors.js'
import type { Settings } from '../settings/settings.js'

/** Default of APPS_STOPTIMEOUT, in ms. */
const usualMs = 30_000

/** How long an instance may take to stop, in ms. A value of config.sh that cannot be used keeps none from being stopped. */
export function stopTimeoutOf(settings: Settings): number {
  try {
    return settings.global.stopTimeoutMs
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_SETTINGS') return usualMs
    throw error
  }
}
