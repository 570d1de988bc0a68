import { isIP } from 'node:net'
import type { Instance } from '../domain/instance.js'
import type { GlobalSettings } from '../settings/settings.js'

export type PublicUrlSettings = Pick<GlobalSettings, 'baseUrl' | 'rootContext' | 'proxy'>

/**
 * Where people reach an instance: its custom URL; else, when a reverse proxy publishes instances, an address of its own
 * or a path below that of the manager; else where it answers on this machine.
 */
export function publicUrlOf(
  instance: Pick<Instance, 'name' | 'port' | 'customUrl'>,
  settings: PublicUrlSettings,
): string {
  if (instance.customUrl !== '') return instance.customUrl
  return settings.proxy.enabled ? standardUrlOf(instance, settings) : urlOf(instance)
}

/** Where it answers on this machine, without a last slash. */
export function urlOf({ port }: Pick<Instance, 'port'>): string {
  return `http://127.0.0.1:${port}`
}

/** Of a published instance, whether it has a custom URL or not. An IP address has no hosts below it: there it is a path. */
export function standardUrlOf(
  { name }: Pick<Instance, 'name'>,
  { baseUrl, rootContext }: Pick<PublicUrlSettings, 'baseUrl' | 'rootContext'>,
): string {
  const base = new URL(baseUrl)
  const isAddress = isIP(base.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
  return rootContext && !isAddress
    ? `${base.protocol}//${name.toLowerCase()}.${base.host}`
    : `${base.href.replace(/\/+$/, '')}/${name}`
}
