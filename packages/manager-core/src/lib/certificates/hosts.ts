import { isIP } from 'node:net'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { isThrowAway } from '../domain/instance.js'
import { standardUrlOf } from '../settings/public-url.js'

/** Names that mean something on private networks only (RFC 6761, 6762, 8375), so that no authority certifies them. */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/

/**
 * Host names by which this manager and its published instances are reached over HTTPS and that can be certified, each once,
 * in lower case; the manager's comes first.
 */
export function publicHosts({ settings, registry }: Pick<ManagerContext, 'settings' | 'registry'>): readonly string[] {
  const { global } = settings
  const instances = global.proxy.enabled ? registry.instances().filter((one) => !isThrowAway(one)) : []
  const isHttps = global.proxy.enabled || global.baseUrl.startsWith('https:')
  const urls = [
    ...(isHttps ? [global.baseUrl] : []),
    ...instances.flatMap((one) => [standardUrlOf(one, global), ...(one.customUrl === '' ? [] : [one.customUrl])]),
  ]
  return [...new Set(urls.map((url) => new URL(url).hostname.toLowerCase()))].filter(
    (host) => whyNotCertified(host) === undefined,
  )
}

/** Lower case, without a last dot. @throws ManagerError ERR_USAGE when no authority certifies it */
export function checkHost(text: string): string {
  const host = text.toLowerCase().replace(/\.$/, '')
  const why = whyNotCertified(host)
  if (why === undefined) return host
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
  throw new ManagerError('ERR_USAGE', `No certificate can be issued for ${shown}: ${why}.`)
}

function whyNotCertified(host: string): string | undefined {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return 'it is an IP address'
  if (host.startsWith('*.')) return 'wildcards need a DNS challenge; name the hosts one by one'
  const isName = host.length <= 253 && host.split('.').every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))
  if (!isName) return 'it is not a valid host name'
  if (!host.includes('.') || privateNames.test(host)) return 'it is not a public host name'
  return undefined
}
