import type { IncomingMessage } from 'node:http'
import type { GlobalSettings } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import { isLoopback } from './client-address.js'

/** Where APPS_PASSWORD is not set. Everybody knows it: setting the same one gets the same warning. Not specified; chosen as the user's. */
export const defaultPassword = 'admin'

/** @throws ManagerError ERR_SETTINGS when other machines can reach the server, and it has no password of its own */
export function assertOwnPassword({ password, proxy }: GlobalSettings, isOnLoopback: boolean): void {
  const isOwn = password !== undefined && password.reveal() !== defaultPassword
  if (isOwn || (isOnLoopback && !proxy.enabled)) return
  const how = isOnLoopback ? ' over the reverse proxy (APPS_PROXY=yes)' : ''
  throw new ManagerError('ERR_SETTINGS', `Everybody could reach the manager${how} with the default password.`, {
    help: 'Set APPS_PASSWORD in config.sh.',
    command: 'config APPS_PASSWORD APPS_LISTEN APPS_PROXY',
  })
}

/** Neither through a proxy nor by a page whose name was made to lead here (DNS rebinding). */
export function isFromThisMachine({ headers, socket }: IncomingMessage, address: string): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'].some((name) => name in headers)
  const host = (headers.host ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  const isLocalName = host === 'localhost' || host.endsWith('.localhost') || isLoopback(host)
  return !isForwarded && isLocalName && isLoopback(address) && isLoopbackSocket(socket.remoteAddress)
}

function isLoopbackSocket(address = ''): boolean {
  return isLoopback(address.replace(/^::ffff:/i, ''))
}
