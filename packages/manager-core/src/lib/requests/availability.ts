import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { believedTime } from '../history/believed-time.js'
import { expireRequests } from '../store/request-rows.js'

/** How long the link of a mail can be used. Not specified; chosen so that a week-end is bridged. */
export const confirmWithinMs = 3 * 24 * 3_600_000

/** @throws ManagerError ERR_STATE unless this manager handles requests */
export function checkRequestsAllowed({ settings }: Pick<ManagerContext, 'settings'>): void {
  if (settings.global.allowRegister) return
  throw new ManagerError('ERR_STATE', 'Requests for instances are disabled in this manager.', {
    help: 'To enable self-registration, set APPS_ALLOWREGISTER=yes in config.sh.',
  })
}

/** Why registration is not possible although it is allowed; undefined: it is. */
export function whyClosed({ settings, registry }: Pick<ManagerContext, 'settings' | 'registry'>): string | undefined {
  const { mail, email } = settings.global
  const missing = [...(mail ? [] : ['APPS_MAILSERVER']), ...(email === undefined ? ['APPS_EMAIL'] : [])]
  if (missing.length > 0)
    return `Self-registration does not work: set ${missing.join(' and ')}, because addresses are confirmed by mail.`
  return registry.versions().length === 0
    ? 'Self-registration does not work: no version has been fetched yet (run refresh).'
    : undefined
}

/** Removes requests that were not confirmed in time. */
export function forgetUnconfirmed(context: Pick<ManagerContext, 'registry' | 'clock' | 'uptime'>): void {
  const before = new Date(believedTime(context).getTime() - confirmWithinMs)
  const { registry } = context
  registry.transaction(() => expireRequests(registry, before))
}
