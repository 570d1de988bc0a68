import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { useHostPackages } from './host-packages.js'
import { TargetError } from './target-error.js'
import type { TargetType } from './target-type.js'

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i

/** The type that an npm package exports as `target` or as default. @throws TargetError ERR_TARGET_SETTINGS */
export async function targetPackage(name: string, folders: readonly string[]): Promise<TargetType> {
  if (!packageName.test(name))
    throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(name)} is no type of targets.`, {
      help: 'A type is local, scp, ftp, swift, s3, gcs, or the name of an npm package.',
    })
  const file = findPackageEntry(name, folders)
  if (file === undefined)
    throw new TargetError(
      'ERR_TARGET_SETTINGS',
      `There is no type of targets "${name}", and no such package is installed.`,
      {
        help: `Types are local, scp, ftp, swift, s3, gcs; a package is installed by: npm install ${name}`,
      },
    )
  const module = await importPackage(name, file)
  const type = module.target ?? module.default
  if (isTargetType(type)) return type
  throw new TargetError('ERR_TARGET_SETTINGS', `The package ${name} exports no type of targets.`, {
    help: 'It exports one as "target": an object with name, title, options, open() and describe().',
  })
}

/**
 * The file that an npm package is imported by, looked for from these folders in their order, then beside this package;
 * undefined when it is installed nowhere there.
 */
export function findPackageEntry(name: string, folders: readonly string[]): string | undefined {
  if (!packageName.test(name)) return undefined
  const bases = [...folders.map((folder) => pathToFileURL(join(folder, 'package.json')).href), import.meta.url]
  return bases.map((base) => entryOf(name, base)).find((found) => found !== undefined)
}

async function importPackage(name: string, file: string): Promise<{ target?: unknown; default?: unknown }> {
  const { href } = pathToFileURL(file)
  useHostPackages(href, import.meta.url)
  try {
    return (await import(href)) as object
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TargetError('ERR_TARGET_SETTINGS', `The package ${name} cannot be loaded: ${reason}`, { cause: error })
  }
}

/** The file that a package is imported by, from a place; undefined when it is not installed there. */
function entryOf(name: string, base: string): string | undefined {
  if (isBuiltin(name)) return undefined
  try {
    return createRequire(base).resolve(name)
  } catch {
    // Packages that can only be imported have no entry for `require`.
    return entryForImport(name, base)
  }
}

function entryForImport(name: string, base: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, base)
    if (manifest === undefined) return undefined
    const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports?: unknown }
    const entry = importTarget(
      typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports,
    )
    return entry === undefined ? undefined : join(dirname(manifest), entry)
  } catch {
    return undefined
  }
}

/** The first of the conditions that an import has, in their order. */
function importTarget(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported
  if (typeof exported !== 'object' || exported === null) return undefined
  for (const [condition, inner] of Object.entries(exported)) {
    if (!['node', 'import', 'module-sync', 'default'].includes(condition)) continue
    const found = importTarget(inner)
    if (found !== undefined) return found
  }
  return undefined
}

function isTargetType(value: unknown): value is TargetType {
  if (typeof value !== 'object' || value === null) return false
  const { name, options, open, describe } = value as Partial<Record<keyof TargetType, unknown>>
  return (
    typeof name === 'string' && Array.isArray(options) && typeof open === 'function' && typeof describe === 'function'
  )
}
