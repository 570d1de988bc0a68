import { checkKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { TargetContext, TargetType } from '../target-type.js'
import { createGcsTarget } from './target.js'

export const target: TargetType = {
  name: 'gcs',
  title: 'Google Cloud Storage',
  options: [
    { name: 'bucket', summary: 'Bucket, which must be there', required: true },
    { name: 'prefix', summary: 'Begins the names of all objects, e.g. `backups/`; default: nothing' },
    { name: 'key_file', summary: 'Key of a service account; default: the usual credentials of this machine' },
    { name: 'api_endpoint', summary: 'Other address of the API: a private one of Google, or that of an emulator' },
  ],
  open({ bucket = '', prefix = '', key_file: keyFile, api_endpoint: apiEndpoint }, { environment, idleMs }) {
    if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket)) {
      throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(bucket)} is no name of a bucket.`)
    }
    checkKey(`${prefix}x`)
    if (apiEndpoint !== undefined && !/^https?:\/\/[^@]+$/.test(apiEndpoint)) {
      throw new TargetError('ERR_TARGET_SETTINGS', 'api_endpoint must be an address as https://storage.example.org.')
    }
    return createGcsTarget({ bucket, prefix, keyFile: keyFile ?? ownCredentials(environment), apiEndpoint, idleMs })
  },
  describe: ({ bucket = '', prefix = '' }) => `gs://${bucket}/${prefix}`,
}

/** Those of the process itself, of any kind, are found by the client. */
function ownCredentials(environment: TargetContext['environment']): string | undefined {
  const file = environment['GOOGLE_APPLICATION_CREDENTIALS']
  return file === process.env['GOOGLE_APPLICATION_CREDENTIALS'] ? undefined : file || undefined
}
