import { findPackageJSON } from 'node:module'
import { RestError } from '../../errors.js'

/** Loads an optional peer when it is used. @throws RestError ERR_INTERNAL naming the missing package */
export async function optionalPackage<T>(what: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new RestError('ERR_INTERNAL', `${what} needs the package "${name}": npm install ${name}`, { cause })
  }
}

/** Makes sure that an optional peer is there, without loading it. @throws RestError ERR_INTERNAL naming the missing package */
export function needPackage(what: string, name: string): Promise<unknown> {
  return optionalPackage(what, name, async () => findPackageJSON(name, import.meta.url))
}
