import { createBucketDocumentStore } from '@steward/rest-core'
import type { DocumentStore } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { SettingsError } from './settings.js'

/** Options of the target, as the address has them. */
const known = ['endpoint', 'region', 'path_style', 'part_mb']

const example = 's3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1'

/** Whether `documents` of `app.yaml` is the address of a bucket, not a folder. */
export function isBucket(documents: string | undefined): documents is string {
  return documents?.startsWith('s3:') ?? false
}

/**
 * Documents in a bucket of S3 or of a store with its API; keys come from the environment, as Amazon's programs take them.
 *
 * @throws SettingsError when the address is wrong, the bucket is not there, a key is refused, or the store is away.
 */
export async function openBucket(address: string): Promise<DocumentStore> {
  const options = bucketOptions(address)
  const { openTarget, reliable } = await import('@steward/backup-targets')
  try {
    const target = reliable(await openTarget({ type: 's3', options }), patience)
    return createBucketDocumentStore({
      put: (key, source) => target.put(key, source).catch(unavailable),
      get: (key, range) => target.get(key, range).catch(unavailable),
      list: (wanted) => target.list(wanted).catch(unavailable),
      delete: (key) => target.delete(key).catch(unavailable),
      sweep: (wanted) => target.sweep(wanted).catch(unavailable),
      close: () => target.close(),
    })
  } catch (error) {
    const { message, help } = error as { readonly message: string; readonly help?: string }
    const hint = help === undefined ? '' : ` ${help}`
    throw new SettingsError(`app.yaml: documents: ${message.replace(/\.?$/, '.')}${hint}`, { cause: error })
  }
}

/** Somebody waits for the answer. */
const patience = { attempts: 3, minPauseMs: 250, maxPauseMs: 2000, idleMs: 30_000 }

/** What passes is 503 to clients, which may try again. */
function unavailable(error: unknown): never {
  if (!(error as { readonly transient?: boolean }).transient) throw error
  throw new RestError('ERR_UNAVAILABLE', 'The store of the documents cannot be reached; try again later.', {
    cause: error,
  })
}

/** @throws SettingsError which does not show the address: it may hold a key. */
export function bucketOptions(address: string): Record<string, string> {
  const { host, pathname, username, password, searchParams, hash } = urlOf(address)
  if (username !== '' || password !== '' || searchParams.has('access_key') || searchParams.has('secret_key'))
    throw refused(
      'the address must hold no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the server.',
    )
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

function urlOf(address: string): URL {
  if (URL.canParse(address)) return new URL(address)
  throw refused(`the address must be like ${example}.`)
}

function refused(what: string): SettingsError {
  return new SettingsError(`app.yaml: documents: ${what}`)
}
