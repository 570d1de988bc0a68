import { ManagerError } from '../../errors.js'
import { addressOf } from '../domain/address.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { hostsOf } from '../instances/addresses.js'
import type { StandardUrlSettings } from '../settings/public-url.js'

/**
 * A caller with a scope gives an instance only the hosts that it was given, and those that the instance has.
 *
 * @param url the new address
 * @throws ManagerError ERR_ACCESS
 */
export function checkHost(
  { grant: { scope } }: Pick<Caller, 'grant'>,
  url: string,
  before: Pick<Instance, 'name' | 'customUrl'>,
  settings: StandardUrlSettings,
): void {
  const host = addressOf(url)?.host ?? ''
  if (scope.all || scope.hosts.has(host) || hostsOf(before, settings).has(host)) return
  throw new ManagerError('ERR_ACCESS', `Your token does not allow the host "${host}".`, {
    help: 'Ask an administrator for a token with this host: token add <name> --instances <names> --hosts <hosts>',
  })
}
