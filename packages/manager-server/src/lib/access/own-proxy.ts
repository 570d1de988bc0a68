import type { IncomingMessage } from 'node:http'
import { proxyHeaders, readSecretFile, type ManagerContext } from '@steward/manager-core'
import { isSameText } from './same-text.js'

const header = proxyHeaders.secret.toLowerCase()

/** Whether a request came through the reverse proxy of the manager, which sends its secret. */
export function createIsOwnProxy({ home }: Pick<ManagerContext, 'home'>): (request: IncomingMessage) => boolean {
  return ({ headers: { [header]: said } }) => {
    if (typeof said !== 'string') return false
    const secret = readSecretFile(home.proxySecret)
    return secret !== undefined && isSameText(said, secret.reveal())
  }
}
