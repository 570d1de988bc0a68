import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Addresses of an application's modules: those that the server loads, and what they import in turn. */
const entries = new Set<string>()
const reached = new Set<string>()
let isHooked = false
/** `next` would look from the application all the same when it comes from a `require`. */
const ownRequire = createRequire(import.meta.url)

/**
 * Loads a module of an application, wherever its folder is: `@steward/…` is what this server runs, also when the
 * application has a copy of its own, because two copies of one package do not know each other's classes.
 *
 * @param version another one loads the module again.
 */
export async function importModule(file: string, version?: number): Promise<Record<string, unknown>> {
  if (!isHooked) registerHooks({ resolve })
  isHooked = true
  const { href } = pathToFileURL(file)
  const address = version === undefined ? href : `${href}?changed=${version}`
  entries.add(address)
  return (await import(address)) as Record<string, unknown>
}

/** Packages that are to be loaded, by the specifier of the call: what they are called, and where they are looked for. */
const packages = new Map<string, { readonly name: string; readonly places: readonly string[] }>()

/**
 * Loads an npm package: that of the application, else that beside this server.
 *
 * @returns undefined when it is installed at neither place.
 */
export async function importPackage(name: string, folder: string): Promise<Record<string, unknown> | undefined> {
  if (!isHooked) registerHooks({ resolve })
  isHooked = true
  const places = [pathToFileURL(join(folder, 'app.yaml')).href, import.meta.url]
  if (!places.some((place) => findPackage(name, place))) return undefined
  const specifier = `steward-package:${packages.size}`
  packages.set(specifier, { name, places })
  return (await import(specifier)) as Record<string, unknown>
}

const resolve: Parameters<typeof registerHooks>[0]['resolve'] = (specifier, context, next) => {
  const wanted = packages.get(specifier)
  if (wanted) {
    const place = wanted.places.find((each) => findPackage(wanted.name, each))
    const found = next(wanted.name, { ...context, parentURL: place })
    reached.add(found.url)
    return found
  }
  if (!entries.has(specifier) && !reached.has(context.parentURL ?? '')) return next(specifier, context)
  if (specifier.startsWith('@steward/')) {
    try {
      return { url: pathToFileURL(ownRequire.resolve(specifier)).href, shortCircuit: true }
    } catch (error) {
      // A package of this name that the server does not have may be the application's.
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  const found = next(specifier, context)
  reached.add(found.url)
  return found
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
