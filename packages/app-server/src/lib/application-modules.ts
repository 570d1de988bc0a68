import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findPackageEntry, useHostPackages } from '@steward/backup-targets'

/**
 * Loads a module of an application, wherever its folder is, with the `@steward/…` packages of this server.
 *
 * @param version another one loads the module again.
 */
export async function importModule(file: string, version?: number): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(file)
  const address = version === undefined ? href : `${href}?changed=${version}`
  useHostPackages(address, import.meta.url)
  return (await import(address)) as Record<string, unknown>
}

/**
 * Loads an npm package: that of the application, else that beside this server.
 *
 * @returns undefined when it is installed at neither place.
 */
export async function importPackage(name: string, folder: string): Promise<Record<string, unknown> | undefined> {
  const file = findPackageEntry(name, [folder, import.meta.dirname])
  return file === undefined ? undefined : importModule(file)
}

export const ownPackages = ['app-server', 'db-adapters', 'rest-core', 'rest-koa'].map((name) => `@steward/${name}`)

/** A sentence for each of the server's packages of which the application has another version, which is not used. */
export function unusedCopies(folder: string): string[] {
  return ownPackages.flatMap((name) => {
    const [own, copy] = [import.meta.url, pathToFileURL(join(folder, 'app.yaml')).href].map((base) => find(name, base))
    if (!own || !copy || own.version === copy.version) return []
    return [
      `Not used: ${name} ${copy.version} in ${copy.file}. Applications get the server's own version, ${own.version}.`,
    ]
  })
}

function find(name: string, base: string): { file: string; version: string } | undefined {
  const file = findPackage(name, base)
  return file === undefined
    ? undefined
    : { file, version: (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version }
}

function findPackage(name: string, base: string): string | undefined {
  try {
    return findPackageJSON(name, base)
  } catch {
    return undefined
  }
}
