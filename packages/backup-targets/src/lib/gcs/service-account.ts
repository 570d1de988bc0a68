import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { StorageOptions } from '@google-cloud/storage'
import { TargetError } from '../target-error.js'

interface Key {
  readonly type?: unknown
  readonly client_email?: unknown
  readonly private_key?: unknown
}

/** The account that holds this key. @throws TargetError ERR_TARGET_SETTINGS */
export async function serviceAccount(file: string): Promise<NonNullable<StorageOptions['authClient']>> {
  const { type, client_email: email, private_key: key } = await readKey(file)
  if (type !== 'service_account' || typeof email !== 'string' || typeof key !== 'string') {
    throw new TargetError('ERR_TARGET_SETTINGS', `${file} is no key of a service account.`, {
      help: 'Make one in the console of Google Cloud, or set GOOGLE_APPLICATION_CREDENTIALS to credentials of other kinds.',
    })
  }
  // The client's own option for it writes a warning to the console.
  const requireFromClient = createRequire(createRequire(import.meta.url).resolve('@google-cloud/storage'))
  const { JWT } = requireFromClient('google-auth-library') as typeof import('google-auth-library')
  return new JWT({ email, key, scopes: ['https://www.googleapis.com/auth/devstorage.read_write'] })
}

async function readKey(file: string): Promise<Key> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Key
  } catch (error) {
    // Not its message about the content: that may hold a secret.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message
    throw new TargetError('ERR_TARGET_SETTINGS', `Cannot read the key ${file}: ${reason}.`)
  }
}
