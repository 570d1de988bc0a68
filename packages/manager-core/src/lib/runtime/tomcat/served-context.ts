import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { InstanceHome } from '../../domain/home.js'

/** Path below which Tomcat serves an instance, `/name`; undefined: at its root, or it is not one on Tomcat. */
export function servedContext({ tomcat, app }: Pick<InstanceHome, 'tomcat' | 'app'>): string | undefined {
  const webapps = join(tomcat, 'webapps')
  if (!existsSync(webapps)) return undefined
  const target = relative(webapps, app)
  const link = readdirSync(webapps, { withFileTypes: true }).find(
    (entry) => entry.isSymbolicLink() && readlinkSync(join(webapps, entry.name)) === target,
  )
  // Configurations of reverse proxies have it.
  return link && link.name !== 'ROOT' && /^[\w#-]+$/.test(link.name) ? `/${link.name.replaceAll('#', '/')}` : undefined
}
