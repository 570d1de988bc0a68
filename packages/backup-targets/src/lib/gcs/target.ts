import { HttpClient } from '../http/http-client.js'
import { loadPackage } from '../load-package.js'
import type { TargetType } from '../target-type.js'
import type { BackupTarget, TargetCapabilities } from '../target.js'
import type { Api } from './api.js'
import { get, hash, list, stat } from './read.js'
import { remove, sweep } from './remove.js'
import { serviceAccount } from './service-account.js'
import { readSettings, type GcsSettings } from './settings.js'
import { put } from './write.js'

/** A bucket of Google Cloud Storage; an upload resumes in the same process only. */
export const target: TargetType = {
  name: 'gcs',
  title: 'Google Cloud Storage',
  options: [
    { name: 'bucket', summary: 'Bucket, which must be there', required: true },
    { name: 'prefix', summary: 'Prefix of all object names, e.g. `backups/`; default: none' },
    { name: 'key_file', summary: 'Key of a service account; default: the usual credentials of this machine' },
    { name: 'api_endpoint', summary: 'Other address of the API: a private one of Google, or that of an emulator' },
  ],
  open: (options, context) => createGcsTarget(readSettings(options, context)),
  describe: ({ bucket = '', prefix = '' }) => `gs://${bucket}/${prefix}`,
}

const capabilities: TargetCapabilities = Object.freeze({
  atomicPublish: 'complete',
  hashes: ['md5', 'crc32c'],
  // Only the connection that started an upload can continue it; no other one can find it.
  resume: 'none',
  multipart: undefined,
  conditionalCreate: true,
  immutability: false,
  unknownSize: true,
  listOrder: 'key',
  maxObjectBytes: 5 * 1024 ** 4,
} as const)

/** Objects of a bucket of Google Cloud Storage. */
export async function createGcsTarget(settings: GcsSettings): Promise<BackupTarget> {
  const { prefix, keyFile, apiEndpoint, pieceBytes, idleMs } = settings
  const { CRC32C, Storage } = await loadPackage('@google-cloud/storage', () => import('@google-cloud/storage'))
  const storage = new Storage({
    ...(keyFile !== undefined && { authClient: await serviceAccount(keyFile) }),
    ...(apiEndpoint !== undefined && { apiEndpoint, useAuthWithCustomEndpoint: keyFile !== undefined }),
  })
  const api: Api = { bucket: storage.bucket(settings.bucket), http: new HttpClient(idleMs), prefix, pieceBytes }
  const uploads = { cut: new Map<string, string>(), createHash: () => new CRC32C() }
  return {
    capabilities,
    put: (key, source, options) => put(api, uploads, key, source, options),
    get: (key, options) => get(api, key, options),
    stat: (key, options) => stat(api, key, options),
    list: (options) => list(api, options),
    delete: (key, options) => remove(api, key, options),
    hash: (key, options) => hash(api, key, options),
    sweep,
    close: () => Promise.resolve(api.http.close()),
  }
}
