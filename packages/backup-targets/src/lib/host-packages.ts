import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { isAbsolute } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Addresses of modules that were given the packages of a program, and of what they load in turn, with where these are found. */
const hosts = new Map<string, NodeJS.Require>()
let isHooked = false

/**
 * Gives a module of an application or a plug-in, and what it loads in turn, the `@steward/…` packages of the program that
 * runs: it need not bring any, and two copies of one package do not know each other's classes. A package that the program
 * does not have is looked for as usual. Call it before the module is loaded.
 *
 * @param address of the module: its URL, or its path when it comes from `require`
 * @param host `import.meta.url` of the program
 */
export function useHostPackages(address: string, host: string): void {
  if (!isHooked) registerHooks({ resolve })
  isHooked = true
  hosts.set(urlOf(address), createRequire(host))
}

const resolve: Parameters<typeof registerHooks>[0]['resolve'] = (specifier, context, next) => {
  const host = hosts.get(urlOf(specifier)) ?? hosts.get(context.parentURL ?? '')
  if (!host) return next(specifier, context)
  if (specifier.startsWith('@steward/')) {
    try {
      return { url: pathToFileURL(host.resolve(specifier)).href, shortCircuit: true }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  const found = next(specifier, context)
  hosts.set(found.url, host)
  return { ...found, format: formatOf(found.url, found.format) }
}

/** Modules of a folder that `npm init` has made are CommonJS for Node, though they are written as ES modules. */
function formatOf(url: string, format: string | null | undefined): string | null | undefined {
  if (!format?.startsWith('commonjs') || !url.startsWith('file:') || url.includes('/node_modules/')) return format
  const isModule = /^(?:import|export)\b/m.test(readFileSync(fileURLToPath(url), 'utf8'))
  return isModule ? format.replace('commonjs', 'module') : format
}

function urlOf(address: string): string {
  return isAbsolute(address) ? pathToFileURL(address).href : address
}
