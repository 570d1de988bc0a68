import { resolve } from 'node:path'
import type { TargetType } from '../target-type.js'
import type { BackupTarget, TargetCapabilities } from '../target.js'
import { get, hash, list, stat } from './read.js'
import { remove, sweep } from './remove.js'
import { readSettings, type LocalSettings } from './settings.js'
import { put } from './write.js'

/** A folder of this machine, also of a mounted file system. */
export const target: TargetType = {
  name: 'local',
  title: 'Folder of this machine, or mounted there',
  options: [{ name: 'path', summary: 'Absolute path of a folder that is there', required: true }],
  open: (options) => createLocalTarget(readSettings(options)),
  describe: ({ path = '' }) => `file://${path}`,
}

const capabilities: TargetCapabilities = Object.freeze({
  atomicPublish: 'rename',
  hashes: ['sha256'],
  resume: 'append',
  multipart: undefined,
  conditionalCreate: true,
  immutability: false,
  unknownSize: true,
  listOrder: 'key',
  maxObjectBytes: undefined,
} as const)

/** Objects are files; partial ones are `.<name>.<upload>.part` beside. */
export function createLocalTarget({ path }: LocalSettings): BackupTarget {
  const root = resolve(path)
  return {
    capabilities,
    put: (key, source, options) => put(root, key, source, options),
    get: (key, options) => get(root, key, options),
    stat: (key, options) => stat(root, key, options),
    list: (options) => list(root, options),
    delete: (key, options) => remove(root, key, options),
    hash: (key, options) => hash(root, key, options),
    sweep: (options) => sweep(root, options),
    close: () => Promise.resolve(),
  }
}
