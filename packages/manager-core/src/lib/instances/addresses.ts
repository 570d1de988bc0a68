import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { addressOf, type Address } from '../domain/address.js'
import { isThrowAway, type Instance } from '../domain/instance.js'
import { isPublishedByPath, standardUrlOf, type StandardUrlSettings } from '../settings/public-url.js'

type Named = Pick<Instance, 'name' | 'customUrl'>
type Claimant = Pick<Instance, 'id' | 'name' | 'customUrl' | 'source'>

/** First parts of paths of the manager itself, below its own: no instance can be published there. */
const ownPaths: ReadonlySet<string> = new Set(['api', 'ui', 'term', 'ping', 'metrics', 'register', 'health'])

/** Hosts on which no instance may have a custom URL: the manager's, and the one that instances share as paths. */
export function sharedHosts(settings: StandardUrlSettings): ReadonlySet<string> {
  const shared = isPublishedByPath(settings) ? [settings.baseUrl, settings.instancesUrl] : [settings.baseUrl]
  return new Set(shared.map((url) => addressOf(url)?.host ?? ''))
}

/** Whether an instance of this name would be where the manager is. */
export function isManagers({ name }: Pick<Instance, 'name'>, settings: StandardUrlSettings): boolean {
  const [base, own] = [addressOf(settings.baseUrl), addressOf(standardUrlOf({ name }, settings))]
  if (base?.host !== own?.host) return false
  return !isPublishedByPath(settings) || ownPaths.has(name)
}

/** Hosts that belong to an instance alone. */
export function hostsOf({ name, customUrl }: Named, settings: StandardUrlSettings): ReadonlySet<string> {
  const urls = [...(isPublishedByPath(settings) ? [] : [standardUrlOf({ name }, settings)]), customUrl]
  return new Set(urls.map((url) => addressOf(url)?.host).filter((host) => host !== undefined))
}

/**
 * The standard address of a name is the instance's own.
 *
 * @throws ManagerError ERR_NAME_TAKEN
 */
export function checkNamedAddress(row: Claimant, context: Pick<ManagerContext, 'registry' | 'settings'>): void {
  if (isThrowAway(row)) return
  const { global } = context.settings
  const url = standardUrlOf(row, global)
  if (isManagers(row, global))
    throw new ManagerError('ERR_NAME_TAKEN', `No instance can be named "${row.name}": ${url} belongs to the manager.`, {
      help: 'Choose another name.',
    })
  const address = addressOf(url)
  const owner = isPublishedByPath(global) ? undefined : ownerOf(address, row, context)
  if (!owner) return
  throw new ManagerError(
    'ERR_NAME_TAKEN',
    `No instance can be named "${row.name}": ${url} is the custom URL of "${owner.name}".`,
    { help: 'Choose another name, or clear that custom URL first.', command: `reseturl ${owner.name}` },
  )
}

/**
 * The host of a custom URL is the instance's own: pages of one host share their users' credentials.
 *
 * @throws ManagerError ERR_USAGE, ERR_NAME_TAKEN
 */
export function checkCustomUrl(row: Claimant, context: Pick<ManagerContext, 'registry' | 'settings'>): void {
  const reason = whyNotCustomUrl(row, context)
  if (reason) throw new ManagerError(reason.code, `"${row.customUrl}" cannot be a custom URL: ${reason.message}.`)
}

function whyNotCustomUrl(
  row: Claimant,
  context: Pick<ManagerContext, 'registry' | 'settings'>,
): { readonly code: 'ERR_USAGE' | 'ERR_NAME_TAKEN'; readonly message: string } | undefined {
  const address = row.customUrl === '' ? undefined : addressOf(row.customUrl)
  if (!address || isThrowAway(row)) return undefined
  if (sharedHosts(context.settings.global).has(address.host))
    return { code: 'ERR_USAGE', message: `the host ${address.host} belongs to the manager` }
  const owner = ownerOf(address, row, context)
  return owner && { code: 'ERR_NAME_TAKEN', message: `the host ${address.host} belongs to instance "${owner.name}"` }
}

/** One that comes back does so without its custom URL when that belongs to another one by now; `note` says so. */
export function withOwnUrl<Row extends Claimant>(
  row: Row,
  context: Pick<ManagerContext, 'registry' | 'settings'>,
): { readonly row: Row; readonly note: string | null } {
  const reason = whyNotCustomUrl(row, context)
  if (!reason) return { row, note: null }
  const note = `"${row.name}" is restored without its custom URL ${row.customUrl}: ${reason.message}.`
  return { row: { ...row, customUrl: '' }, note }
}

/** The other instance that has the host. */
function ownerOf(
  address: Address | undefined,
  { id }: Pick<Instance, 'id'>,
  { registry, settings }: Pick<ManagerContext, 'registry' | 'settings'>,
): Instance | undefined {
  if (!address) return undefined
  return registry
    .instances()
    .find((one) => one.id !== id && !isThrowAway(one) && hostsOf(one, settings.global).has(address.host))
}
