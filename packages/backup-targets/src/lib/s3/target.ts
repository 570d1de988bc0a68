import type { BackupTarget } from '../target.js'
import { findAbilities } from './abilities.js'
import { connect } from './connection.js'
import { maxObjectBytes, parallelOf } from './part-size.js'
import { put } from './write.js'
import { get, hash, list, stat } from './read.js'
import { remove, sweep } from './remove.js'
import type { S3Settings } from './settings.js'

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
