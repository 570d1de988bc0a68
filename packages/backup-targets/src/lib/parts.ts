import { isKey } from './key.js'
import { TargetError } from './target-error.js'

/** What targets whose objects are files have in common about those that are not whole. */

const partName = /^\.(?<name>.+)\.[A-Za-z0-9]{8,64}\.part$/

/** Where an upload is while it is not whole: beside, under a name that no key has. */
export function partPath(key: string, upload: string): string {
  const slash = key.lastIndexOf('/') + 1
  return `${key.slice(0, slash)}.${key.slice(slash)}.${upload}.part`
}

/** The key of a file in a folder; undefined: it is not an object. */
export function keyOfObject(folder: string, name: string): string | undefined {
  return isKey(folder + name) ? folder + name : undefined
}

/** The key that a partial file in a folder belongs to; undefined: it is none. */
export function keyOfPart(folder: string, name: string): string | undefined {
  const ofName = partName.exec(name)?.groups?.name
  return ofName === undefined ? undefined : folder + ofName
}

/** Whether what was written is of no use to a next attempt, or in the way. */
export function isFinal(failure: unknown): boolean {
  return TargetError.is(failure) && ['ERR_TARGET_FULL', 'ERR_TARGET_EXISTS'].includes(failure.code)
}

export function exists(key: string): TargetError {
  return new TargetError('ERR_TARGET_EXISTS', `There is "${key}" already.`)
}
