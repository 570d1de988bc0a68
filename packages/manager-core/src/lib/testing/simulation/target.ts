import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { TargetError } from '@steward/backup-targets'
import type { BackupTarget, StoredObject } from '@steward/backup-targets'
import { act, machine, under } from './machine.js'

/** A store of the simulated machine, with the contract of the real ones. */
export function simulatedTarget(): BackupTarget {
  const find = (key: string): StoredObject | undefined => {
    const object = machine.state.store.get(key)
    return object && { key, size: object.bytes.length, modified: new Date(object.modified) }
  }
  return {
    capabilities: {
      atomicPublish: 'request',
      hashes: [],
      resume: 'none',
      multipart: undefined,
      conditionalCreate: true,
      immutability: false,
      unknownSize: true,
      listOrder: 'key',
      maxObjectBytes: undefined,
    },
    async put(key, source, { ifAbsent = false, onProgress } = {}) {
      const bytes = await buffer(await source.open())
      return call(() => {
        if (ifAbsent && find(key)) throw new TargetError('ERR_TARGET_EXISTS', `${key} is there already.`)
        act(`put ${key}`, () => machine.state.store.set(key, { bytes, modified: machine.state.now }))
        onProgress?.(bytes.length)
        return find(key) as StoredObject
      })
    },
    get: (key, { start = 0, end = Infinity } = {}) =>
      call(() => {
        const object = machine.state.store.get(key)
        if (!object) throw new TargetError('ERR_TARGET_NOT_FOUND', `There is no ${key}.`)
        return Readable.from([object.bytes.subarray(start, end + 1)], { objectMode: false })
      }),
    stat: (key) => call(() => find(key)),
    list: ({ prefix = '' } = {}) =>
      call(() => {
        const keys = [...machine.state.store.keys()].filter((key) => key.startsWith(prefix)).toSorted()
        return { objects: keys.map((key) => find(key) as StoredObject), next: undefined }
      }),
    delete: (key) => call(() => act(`delete ${key}`, () => machine.state.store.delete(key))),
    sweep: () => call(() => 0),
    close: () => Promise.resolve(),
  }
}

function call<T>(work: () => T): Promise<T> {
  return under(
    machine.state.target,
    work,
    () => new TargetError('ERR_TARGET_UNREACHABLE', 'The target cannot be reached.'),
  )
}
