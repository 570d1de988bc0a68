import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { ManagerContext } from '../context.js'
import { isThrowAway, type Instance } from '../domain/instance.js'
import { standardUrlOf } from '../instances/public-url.js'
import { ManagerError } from '../../errors.js'
import { addressOf, type Address } from './address.js'
import { clientAuthorities } from './client-authorities.js'
import { managerUpstream } from './manager-upstream.js'
import { hashOf } from './hash.js'
import type { Problem } from './problem.js'
import type { Place, Publication, Site, SiteTls, Snippet, Upstream } from './site.js'

export interface Desired {
  readonly publication: Publication
  readonly problems: readonly Problem[]
}

/** First parts of paths of the manager itself, below its own: no instance can be published there. */
const ownPaths: ReadonlySet<string> = new Set(['api', 'ui', 'term', 'ping', 'metrics', 'register', 'health'])

/**
 * What is to be published: the manager, and all instances, also stopped ones, at their standard addresses and their custom
 * URLs. Of two that want the same place the one comes first whose standard address it is, then the older one.
 */
export function desiredSites(
  context: Pick<ManagerContext, 'settings' | 'registry' | 'certificates'>,
  upstream: Upstream = managerUpstream(context.settings.global),
): Desired {
  const { global } = context.settings
  const problems: Problem[] = []
  const base = addressOf(global.baseUrl)
  if (!base)
    throw new ManagerError('ERR_SETTINGS', `APPS_BASEURL is "${global.baseUrl}", which cannot be published.`, {
      help: 'It is an address such as https://apps.example.com or https://example.com/apps.',
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
  const placeOf = ({ id, name, port }: Instance): Omit<Place, 'path'> => {
    const snippet = readSnippet(join(global.proxy.folder, global.proxy.type, 'snippets', `${name}.conf`))
    return {
      upstream: { host: '127.0.0.1', port },
      instance: { id, name },
      ...(snippet && { snippet }),
    }
  }
  const tell = ({ id, name }: Instance, message: string) =>
    problems.push({ kind: 'address', instance: { id, name }, message })
  for (const instance of instances) {
    const url = standardUrlOf(instance, global)
    const address = addressOf(url)
    const isOwn = address?.host === base.host && ownPaths.has(instance.name)
    if (!address || isOwn || !put(address, placeOf(instance)))
      tell(instance, `"${instance.name}" is not published at ${url}: the manager or another instance is there.`)
  }
  for (const instance of instances) {
    const { customUrl: url, name } = instance
    if (url === '' || url === standardUrlOf(instance, global)) continue
    const address = addressOf(url)
    if (!address) tell(instance, `"${name}" is not published at ${url}: its host or path has unusual characters.`)
    else if (isBelowOwn(address, base) || !put(address, placeOf(instance)))
      tell(instance, `"${name}" is not published at ${url}: the manager or another instance is there.`)
  }

  const { mode } = global.ssl
  const authorities = mode === 'off' ? undefined : clientAuthorities(global.ssl, problems)
  /** Hosts by the reason why they have no HTTPS. */
  const without = new Map<string, readonly string[]>()
  const sites = [...hosts].map(([host, places]): Site => {
    const tls = mode === 'off' ? undefined : tlsOf(host, context, { problems, without })
    return {
      host,
      tls,
      http: mode !== 'force' ? 'serve' : tls ? 'redirect' : 'refuse',
      clientAuthorities: host === base.host && tls ? authorities : undefined,
      places: [...places.values()].toSorted((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1)),
    }
  })
  for (const [why, names] of without)
    problems.push({ kind: 'certificate', message: `There is no HTTPS at ${listOf(names)}: ${why}.` })
  const { httpPort, httpsPort } = global.proxy
  return {
    publication: {
      sites: sites.toSorted((a, b) => (a.host < b.host ? -1 : 1)),
      ...{ manager: upstream, httpPort, httpsPort, hsts: mode === 'force' },
    },
    problems,
  }
}

function isBelowOwn({ host, path }: Address, base: Address): boolean {
  if (host !== base.host || !path.startsWith(`${base.path}/`)) return false
  return ownPaths.has(path.slice(base.path.length + 1).split('/')[0] ?? '')
}

function readSnippet(file: string): Snippet | undefined {
  try {
    return { file, text: readFileSync(file, 'utf8') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function tlsOf(
  host: string,
  { settings, certificates }: Pick<ManagerContext, 'settings' | 'certificates'>,
  { problems, without }: { readonly problems: Problem[]; readonly without: Map<string, readonly string[]> },
): SiteTls | undefined {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  const files = certificates.for([name])
  const refuse = (why: string): undefined => {
    without.set(why, [...(without.get(why) ?? []), host])
  }
  if (!files) return refuse('no certificate is set or issued for it')
  try {
    const certificate = readFileSync(files.certificate, 'utf8')
    const key = readFileSync(files.key, 'utf8')
    const parsed = new X509Certificate(certificate)
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return refuse(`${files.key} is not the key of its certificate`)
    const isFor = isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name)
    if (isFor === undefined)
      problems.push({ kind: 'certificate', message: `Browsers refuse ${host}: ${files.certificate} is not for it.` })
    const { serverCaCertificate } = settings.global.ssl
    const chain =
      files.origin === 'configured' && serverCaCertificate !== undefined
        ? `${certificate.trimEnd()}\n${readFileSync(serverCaCertificate, 'utf8')}`
        : certificate
    return { certificate: chain, keyFile: files.key, keyHash: hashOf(key) }
  } catch (error) {
    return refuse((error as Error).message)
  }
}

/** The first ones of many. */
function listOf(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, 3).join(', '), names.length - 3]
  return more > 0 ? `${shown} and ${more} more` : shown
}
