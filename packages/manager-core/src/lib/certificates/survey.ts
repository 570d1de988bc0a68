import { existsSync } from 'node:fs'
import type { ManagerContext } from '../context.js'
import { isThrowAway } from '../domain/instance.js'
import { readAttempts, type Attempts } from './attempts.js'
import { readCertificate, type CertificateInfo } from './certificate.js'
import { publicHosts } from './hosts.js'
import { renewalOf, stateOf } from './lifetime.js'
import { readPair } from './read-pair.js'

/** A certificate, or an address that is to have one. */
export interface Surveyed {
  /** The first host of an issued one; the file of the configured one. */
  readonly name: string
  readonly origin: 'configured' | 'acme'
  readonly hosts: readonly string[]
  /**
   * `missing`: it is not there yet; `unused`: none of its hosts is an address of this manager any more, so that it is not
   * renewed; `unreadable`: no server can serve with its files.
   */
  readonly state: 'good' | 'soon' | 'expired' | 'missing' | 'unused' | 'unreadable'
  readonly info?: CertificateInfo
  /** When it is issued again. */
  readonly renewal?: Date
  readonly attempts?: Attempts
  /** Why it is unreadable or missing. */
  readonly problem?: string
}

type Context = Pick<ManagerContext, 'home' | 'settings' | 'registry' | 'certificates' | 'clock'>

/** All certificates and all addresses without one, as far as they are to be issued. */
export function surveyCertificates(context: Context): readonly Surveyed[] {
  const { certificates, settings, home, clock } = context
  const now = clock()
  const attempts = readAttempts(home)
  const wanted = new Set(publicHosts(context))
  const issued = certificates.issued().map(({ name, certificate: _file, key: _key, ...info }): Surveyed => {
    const hosts = [name, ...info.names.filter((one) => one !== name)]
    const isUsed = hosts.some((host) => wanted.has(host))
    return {
      name,
      origin: 'acme',
      hosts,
      info,
      renewal: renewalOf({ name, ...info }),
      state: isUsed ? stateOf(info, now) : 'unused',
      ...(attempts[name] && { attempts: attempts[name] }),
    }
  })
  const { acme, ssl } = settings.global
  const missing = acme && ssl.mode !== 'off' ? [...wanted].filter((host) => !certificates.covers(host)) : []
  return [
    ...configured(context, now, wanted),
    ...issued,
    ...missing.map((name): Surveyed => ({
      name,
      origin: 'acme',
      hosts: [name],
      state: 'missing',
      ...(attempts[name] && { attempts: attempts[name] }),
    })),
  ]
}

/** @param wanted hosts that are certified over ACME, when that is switched on */
function configured(context: Context, now: Date, wanted: ReadonlySet<string>): readonly Surveyed[] {
  const { certificates, settings } = context
  const { ssl, acme } = settings.global
  const { serverCertificate: name, serverKey: key, serverCaCertificate: authorities, mode } = ssl
  if (mode === 'off' || name === undefined) return []
  const about = { name, origin: 'configured' } as const
  const unreadable = (problem: string): Surveyed => ({ ...about, hosts: [], state: 'unreadable', problem })
  if (key === undefined) return [unreadable('APPS_SERVER_KEY is not set')]
  try {
    if (!existsSync(name) || !existsSync(key)) return [unreadable(`it or ${key} is missing`)]
    readPair({ certificate: name, key, authorities })
    const info = readCertificate(name)
    const found: Surveyed = { ...about, hosts: info.names, info, state: stateOf(info, now) }
    const isFor = `${name} is for others: ${info.names.join(', ')}`
    const others = [...servedHosts(context)].filter(
      ([host]) => !(acme && wanted.has(host)) && !certificates.covers(host),
    )
    return [
      found,
      ...others.map(([host, owner]): Surveyed => {
        const problem = owner === undefined ? isFor : `it is the custom URL of "${owner}", and ${isFor}`
        return { name: host, origin: 'configured', hosts: [host], state: 'missing', problem }
      }),
    ]
  } catch (error) {
    return [unreadable((error as Error).message)]
  }
}

/** Hosts of addresses that are reached over HTTPS: the manager's, and those that instances were given, with their names. */
function servedHosts({ settings, registry }: Context): ReadonlyMap<string, string | undefined> {
  const { baseUrl, proxy, ssl } = settings.global
  const hosts = new Map<string, string | undefined>()
  if (baseUrl.startsWith('https:')) hosts.set(hostIn(baseUrl), undefined)
  for (const one of proxy.enabled ? registry.instances() : []) {
    if (isThrowAway(one) || one.customUrl === '') continue
    const host = hostIn(one.customUrl)
    if ((one.customUrl.startsWith('https:') || ssl.mode === 'force') && !hosts.has(host)) hosts.set(host, one.name)
  }
  return hosts
}

function hostIn(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Those that are to be issued now: missing ones, and those whose time has come, unless they failed a short time ago. */
export function dueCertificates(surveyed: readonly Surveyed[], now: Date): readonly Surveyed[] {
  return surveyed.filter(({ origin, state, renewal, attempts }) => {
    if (origin === 'configured' || state === 'unused') return false
    if (attempts && attempts.next > now.toISOString()) return false
    return state === 'missing' || (renewal !== undefined && renewal <= now)
  })
}
