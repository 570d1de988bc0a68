import { isIP } from 'node:net'
import type { Instance } from '../domain/instance.js'
import type { GlobalSettings } from './settings.js'

export type StandardUrlSettings = Pick<GlobalSettings, 'baseUrl' | 'instancesUrl' | 'rootContext'>
export type PublicUrlSettings = StandardUrlSettings & Pick<GlobalSettings, 'proxy'>

/**
 * Where people reach an instance: its custom URL; else, when a reverse proxy publishes instances, an address of its own
 * or a path below the one that all share; else where it answers on this machine.
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

/** The address of a published instance, whether it has a custom URL or not. */
export function standardUrlOf({ name }: Pick<Instance, 'name'>, settings: StandardUrlSettings): string {
  const at = new URL(settings.instancesUrl)
  return isPublishedByPath(settings)
    ? `${at.href.replace(/\/+$/, '')}/${name}`
    : `${at.protocol}//${name.toLowerCase()}.${at.host}`
}

/** Whether instances are paths of one host, not hosts. An IP address has no hosts below it. */
export function isPublishedByPath({
  instancesUrl,
  rootContext,
}: Pick<StandardUrlSettings, 'instancesUrl' | 'rootContext'>): boolean {
  return !rootContext || isIP(new URL(instancesUrl).hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
}
