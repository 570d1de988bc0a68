import { TargetError } from '../target-error.js'

/** Options of the target that an address may have. */
const known = ['endpoint', 'region', 'path_style', 'part_mb']

const example = 's3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1'

/**
 * The options of the target `s3` for the address of a bucket, such as
 * `s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1`.
 *
 * @param keys where keys are set instead, for the message when the address holds one
 * @throws TargetError ERR_TARGET_SETTINGS; its message does not show the address, which may hold a key
 */
export function bucketOptions(address: string, keys: string): Record<string, string> {
  const { host, pathname, username, password, searchParams, hash } = urlOf(address)
  if (username !== '' || password !== '' || searchParams.has('access_key') || searchParams.has('secret_key'))
    throw refused(`the address must hold no keys; set ${keys}.`)
  if (host === '' || hash !== '') throw refused(`the address must be like ${example}.`)
  const options: Record<string, string> = { bucket: host }
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  if (prefix !== '') options['prefix'] = `${prefix}/`
  for (const [name, value] of searchParams) {
    if (!known.includes(name)) throw refused(`there is no option "${name}"; there are ${known.join(', ')}.`)
    options[name] = value
  }
  return options
}

/**
 * The address of a folder in a bucket, with the same options.
 *
 * @param address that `bucketOptions` takes
 * @param path without slashes at its ends
 */
export function belowBucket(address: string, path: string): string {
  const url = urlOf(address)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}

function urlOf(address: string): URL {
  if (address.startsWith('s3:') && URL.canParse(address)) return new URL(address)
  throw refused(`the address must be like ${example}.`)
}

function refused(what: string): TargetError {
  return new TargetError('ERR_TARGET_SETTINGS', what)
}
