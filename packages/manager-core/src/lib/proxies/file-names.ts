import type { Place, Site } from './site.js'

/** Of a host, without an ending. Hosts and paths have no "=" themselves, so that no two are called the same. */
export function siteFile({ host }: Pick<Site, 'host'>): string {
  return host.replaceAll(/[[\]]/g, '').replaceAll(':', '=')
}

/** Path of what a place says, in its generation. */
export function placeFile(site: Pick<Site, 'host'>, { instance, path }: Place): string {
  return instance
    ? `instances/${instance.name}@${siteFile(site)}${path.replaceAll('/', '=')}.conf`
    : 'manager/manager.conf'
}
