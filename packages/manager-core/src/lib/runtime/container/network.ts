import { ManagerError } from '../../../errors.js'
import type { ContainerEngine } from './engine.js'

interface FoundNetwork {
  readonly IPAM?: { readonly Config?: readonly { readonly Gateway?: string }[] | null }
}

/**
 * What a network changes of an instance's environment. In one of its own an instance is reached by its published port:
 * it listens on all addresses there, and all that comes to it from outside comes from the gateway.
 */
export async function placedOn(
  engine: ContainerEngine,
  network: string,
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  if (network === 'host') return {}
  const found = await engine.ask<FoundNetwork>('GET', `/networks/${encodeURIComponent(network)}`, { besides: [404] })
  if (!found)
    throw new ManagerError(
      'ERR_SETTINGS',
      `The container engine has no network "${network}" (APPS_CONTAINER_NETWORK).`,
      {
        help: `Create it, e.g. with "docker network create ${network}", or use host.`,
      },
    )
  const gateways = (found.IPAM?.Config ?? []).flatMap(({ Gateway }) => Gateway ?? [])
  const trusted = environment['STEWARD_TRUSTED_PROXIES']
  return {
    STEWARD_HOST: '0.0.0.0',
    ...(trusted !== undefined && { STEWARD_TRUSTED_PROXIES: [trusted, ...gateways].join(',') }),
  }
}
