import { createBucketDocumentStore } from '@steward/rest-core'
import type { DocumentStore } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { SettingsError } from './settings.js'

/**
 * Documents in a bucket of S3 or of a store with its API; keys come from the environment, as Amazon's programs take them.
 *
 * @param place what names the address, for messages
 * @throws SettingsError when the address is wrong, the bucket is not there, a key is refused, or the store is away.
 */
export async function openBucket(address: string, place: string): Promise<DocumentStore> {
  const { bucketOptions, openTarget, reliable } = await import('@steward/backup-targets')
  try {
    const options = bucketOptions(address, keys)
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
    throw new SettingsError(`${place}: ${message.replace(/\.?$/, '.')}${hint}`, { cause: error })
  }
}

/** Where they are set, for messages. */
const keys = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the server'

/** A caller waits for the answer. */
const patience = { attempts: 3, minPauseMs: 250, maxPauseMs: 2000, idleMs: 30_000 }

/** What passes is 503 to clients, which may try again. */
function unavailable(error: unknown): never {
  if (!(error as { readonly transient?: boolean }).transient) throw error
  throw new RestError('ERR_UNAVAILABLE', 'The store of the documents cannot be reached; try again later.', {
    cause: error,
  })
}
