import { createRequire } from 'node:module'
import { findPackageEntry, useHostPackages } from '@steward/backup-targets'
import { ManagerError } from '../../errors.js'

/** What a package exports a plug-in as. */
export type PluginExport = 'runtime' | 'templateSource' | 'databaseServer' | 'reverseProxy' | 'qualityServer'

/** Packages of npm that bring what the manager does not have. */
export interface Plugins {
  /**
   * What the package exports, loaded when it is first asked for.
   *
   * @param setting that names the package, for errors
   * @throws ManagerError ERR_SETTINGS when it is not installed, cannot be loaded, or exports nothing of that kind
   */
  load(kind: PluginExport, name: string, setting: string): object
}

const isNamed = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/** Whether a text may be the name of a package, and is not a plain word, as names of what is built in are. */
export function isPackageName(text: string): boolean {
  return isNamed.test(text) && /[/-]/.test(text)
}

/** @param home is looked in first, then what is beside the manager */
export function createPlugins(home: string): Plugins {
  const load = createRequire(import.meta.url)

  return {
    load(kind: PluginExport, name: string, setting: string): object {
      const file = isPackageName(name) ? findPackageEntry(name, [home, import.meta.dirname]) : undefined
      if (file === undefined)
        throw new ManagerError('ERR_SETTINGS', `${setting} names the package "${name}", which is not installed.`, {
          help: `Install it in the home of the manager: npm install --prefix ${home} ${name}`,
        })
      const found = (exportsOf(name, file, setting) as Partial<Record<PluginExport, object | null>>)[kind]
      if (typeof found === 'object' && found !== null) return found
      throw new ManagerError('ERR_SETTINGS', `${setting} names the package "${name}", which has no "${kind}".`, {
        help: `A package for it exports an object as "${kind}".`,
      })
    },
  }

  function exportsOf(name: string, file: string, setting: string): object {
    useHostPackages(file, import.meta.url)
    try {
      // Modules come from `require` at once, so that settings can be read without waiting.
      return load(file) as object
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ManagerError(
        'ERR_SETTINGS',
        `${setting} names the package "${name}", which cannot be loaded: ${reason}`,
        {
          cause: error,
        },
      )
    }
  }
}
