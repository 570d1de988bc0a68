import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { clientAuthorities } from '../certificates/client-authorities.js'
import type { ManagerContext } from '../context.js'
import { addressOf, type Address } from '../domain/address.js'
import { isThrowAway, thisHost, type Instance } from '../domain/instance.js'
import { isManagers, sharedHosts } from '../instances/addresses.js'
import { reaches } from '../runtime/reach.js'
import { servedContext } from '../runtime/tomcat/served-context.js'
import { standardUrlOf } from '../settings/public-url.js'
import { managerUpstream } from './manager-upstream.js'
import { placeOf, type Problem } from './problem.js'
import type { Place, Publication, Site, Snippet, Upstream } from './site.js'
import { createSiteCertificates } from './site-certificates.js'

export interface DesiredSites {
  readonly publication: Publication
  readonly problems: readonly Problem[]
}

/** Who wakes instances, and which ones sleep when they are idle. */
export interface Waker {
  readonly upstream: Upstream
  /** By their ids. */
  readonly instances: ReadonlySet<string>
}

/**
 * What is to be published: the manager, and all instances, also stopped ones, at their standard addresses and their custom
 * URLs. Requests are passed on only to those that listen at their ports themselves: another user may have taken the port
 * of one that does not. A host belongs to one: to the manager, then to the instance whose standard address it is, then to the older one.
 */
export function desiredSites(
  context: Pick<ManagerContext, 'home' | 'settings' | 'registry' | 'certificates' | 'runtimes'>,
  upstream: Upstream = managerUpstream(context.settings.global),
  waker?: Waker,
): DesiredSites {
  const { global } = context.settings
  const problems: Problem[] = []
  const base = addressOf(global.baseUrl)
  if (!base)
    throw new ManagerError('ERR_SETTINGS', `APPS_BASEURL is "${global.baseUrl}", which cannot be published.`, {
      help: 'Use an address such as https://apps.example.com or https://example.com/apps.',
    })
  const hosts = new Map<string, Map<string, Place>>()
  const put = ({ host, path }: Address, place: Omit<Place, 'path'>): boolean => {
    const places = hosts.get(host) ?? new Map<string, Place>()
    hosts.set(host, places)
    if (places.has(path)) return false
    places.set(path, { path, ...place })
    return true
  }
  put(base, { upstream })

  const instances = context.registry
    .instances()
    .filter((one) => !isThrowAway(one))
    .toSorted((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.id < b.id ? -1 : 1))
  const folder = join(global.proxy.folder, global.proxy.type, 'snippets')
  const snippets = new Map(instances.map((one) => [one.id, readSnippet(one, folder, problems)]))
  const reach = reaches(context, instances)
  const publishedAt = (instance: Instance): Omit<Place, 'path'> => {
    const { id, name, port } = instance
    const snippet = snippets.get(id)
    const served = servedContext(context.home.instance(id))
    const found = reach.get(id)
    return {
      ...(found?.listens === 'own' && {
        upstream: { host: thisHost, port, ...(found.socket !== undefined && { socket: found.socket }) },
      }),
      instance: { id, name },
      ...(waker?.instances.has(id) && { waker: waker.upstream }),
      ...(served && { context: served }),
      ...(snippet && { snippet }),
    }
  }
  const tell = ({ id, name }: Instance, message: string) =>
    problems.push({ kind: 'address', instance: { id, name }, message })
  const shared = sharedHosts(global)
  for (const instance of instances) {
    const { id, name, port } = instance
    const found = reach.get(id)
    if (found?.listens === 'foreign')
      tell(
        instance,
        `Requests for "${name}" are not passed on: its port ${port} is used by a program of user ${found.uid}.`,
      )
  }
  /** Hosts that are one instance's. */
  const owners = new Map<string, Instance>()
  for (const instance of instances) {
    const url = standardUrlOf(instance, global)
    const address = addressOf(url)
    if (address && !isManagers(instance, global) && put(address, publishedAt(instance)))
      owners.set(address.host, instance)
    else
      tell(
        instance,
        `"${instance.name}" is not published at ${url}: this address belongs to the manager or another instance.`,
      )
  }
  for (const instance of instances) {
    const { customUrl: url, name } = instance
    if (url === '' || url === standardUrlOf(instance, global)) continue
    const address = addressOf(url)
    if (!address) tell(instance, `"${name}" is not published at ${url}: its host or path has unusual characters.`)
    else if (shared.has(address.host))
      tell(instance, `"${name}" is not published at ${url}: its host belongs to the manager.`)
    else if ((owners.get(address.host) ?? instance) !== instance)
      tell(instance, `"${name}" is not published at ${url}: its host belongs to "${owners.get(address.host)?.name}".`)
    else if (put(address, publishedAt(instance))) owners.set(address.host, instance)
  }

  const { mode } = global.ssl
  const authorities =
    mode === 'off'
      ? undefined
      : clientAuthorities(global.ssl, (message) => problems.push({ kind: 'certificate', message }))
  const certificates = createSiteCertificates(context.certificates, global.ssl.serverCaCertificate)
  const sites = [...hosts].map(([host, places]): Site => {
    const tls = mode === 'off' ? undefined : certificates.for(host)
    return {
      host,
      tls,
      http: mode !== 'force' ? 'serve' : tls ? 'redirect' : 'refuse',
      clientAuthorities: host === base.host && tls ? authorities : undefined,
      places: [...places.values()].toSorted((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1)),
    }
  })
  const { httpPort, httpsPort } = global.proxy
  return {
    publication: {
      sites: sites.toSorted((a, b) => (a.host < b.host ? -1 : 1)),
      manager: upstream,
      httpPort,
      httpsPort,
      hsts: mode === 'force',
    },
    problems: [...problems, ...certificates.problems()],
  }
}

/** One that cannot be read is left out. */
function readSnippet({ id, name }: Instance, folder: string, problems: Problem[]): Snippet | undefined {
  const file = join(folder, `${name}.conf`)
  try {
    return { file, text: readFileSync(file, 'utf8') }
  } catch (error) {
    const { code, message: why } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const message = `The snippet of "${name}" is left out: ${why}${placeOf({ file })}.`
    problems.push({ kind: 'snippet', instance: { id, name }, file, message })
    return undefined
  }
}
