import type { TargetType } from '../target-type.js'
import type { BackupTarget } from '../target.js'
import { findAbilities } from './abilities.js'
import { connect } from './connection.js'
import { maxObjectBytes, parallelOf } from './part-size.js'
import { put } from './write.js'
import { get, hash, list, stat } from './read.js'
import { remove, sweep } from './remove.js'
import { readSettings, type S3Settings } from './settings.js'

/** A bucket of Amazon S3, or of any store with its API; large objects are stored in parts. */
export const target: TargetType = {
  name: 's3',
  title: 'Amazon S3, and stores with its API',
  options: [
    { name: 'bucket', summary: 'Bucket, which must be there', required: true },
    { name: 'prefix', summary: 'Prefix of all object names, e.g. `backups/`; default: none' },
    { name: 'endpoint', summary: 'Address of a store that is not Amazon’s, e.g. `https://s3.example.org`' },
    { name: 'region', summary: 'Default: that of the environment or profile; us-east-1 with an endpoint' },
    { name: 'access_key', summary: 'Default: the usual chain (environment, profile, role of the machine)' },
    { name: 'secret_key', summary: 'Of the access key', secret: true },
    { name: 'path_style', summary: 'Address the bucket in the path (yes, no); default: yes with an endpoint' },
    { name: 'part_mb', summary: 'Size in MiB of the parts in which larger objects are sent', default: '8' },
    {
      name: 'lock_days',
      summary: 'Days during which objects cannot be deleted; the bucket needs Object Lock',
    },
    { name: 'lock_mode', summary: 'compliance, or governance: some users may lift the lock', default: 'compliance' },
  ],
  open: (options, context) => createS3Target(readSettings(options, context)),
  describe: ({ bucket = '', prefix = '', endpoint }) =>
    `s3://${bucket}/${prefix}${endpoint ? ` at ${hostOf(endpoint)}` : ''}`,
}

/** Without a password, which a wrong address may have. */
function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : 'another store'
}

/** Objects of a bucket; asks the store what it can. @throws TargetError also when the bucket or the keys are wrong. */
export async function createS3Target(settings: S3Settings): Promise<BackupTarget> {
  const connection = await connect(settings)
  const { partBytes } = settings
  const abilities = await findAbilities(connection)
  return {
    capabilities: Object.freeze({
      atomicPublish: 'complete',
      hashes: ['md5'],
      resume: 'parts',
      multipart: { partBytes, parallel: parallelOf(partBytes) },
      conditionalCreate: abilities.conditionalPut && abilities.conditionalComplete,
      immutability: abilities.immutability,
      unknownSize: true,
      listOrder: 'key',
      maxObjectBytes,
    } as const),
    put: (key, source, options = {}) => put(connection, abilities, key, source, options),
    get: (key, options) => get(connection, key, options),
    stat: (key, options) => stat(connection, key, options),
    list: (options) => list(connection, options),
    delete: (key, options) => remove(connection, key, options),
    hash: (key, options) => hash(connection, key, options),
    sweep: (options) => sweep(connection, options),
    close: () => Promise.resolve(connection.s3.destroy()),
  }
}
