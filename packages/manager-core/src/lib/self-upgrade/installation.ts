import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** How the program that runs was installed. */
export type Installation =
  | {
      readonly by: 'npm'
      readonly name: string
      readonly version: string
      /** Folder of the package. */
      readonly folder: string
      /** For `npm --prefix`. */
      readonly prefix: string
      readonly isGlobal: boolean
    }
  /** Not installed by npm; `why` explains it to people. */
  | { readonly by: 'other'; readonly why: string }

/** @param program the file that Node runs. */
export function installationOf(program: string): Installation {
  const other = (why: string): Installation => ({ by: 'other', why })
  const folder = packageFolderOf(program)
  if (folder === undefined) return other(`${program} belongs to no package`)
  const { name, version } = readJson(join(folder, 'package.json')) as { name: string; version: string }
  // Whatever else runs the manager, such as an application that embeds it, is not the manager's to upgrade.
  if (!name.startsWith('@steward/manager-')) return other(`${name} runs it`)
  const modules = folder.slice(0, -name.length - 1)
  if (folder !== join(modules, name) || basename(modules) !== 'node_modules')
    return other(`it runs from a checkout, ${folder}`)
  if (/[/\\]_npx[/\\]/.test(modules)) return other('npx runs it, and always uses the latest version')
  const manager = /[/\\]\.(pnpm|yarn|bun)[/\\]/.exec(modules)?.[1]
  if (manager !== undefined) return other(`${manager} installed it; upgrade it with ${manager}`)

  const place = dirname(modules)
  const project = join(place, 'package.json')
  const isGlobal = basename(place) === 'lib' && !existsSync(project)
  const wanted = isGlobal ? undefined : dependencyOf(project, name)
  if (wanted !== undefined && /^(file|link|git|https?|github)[:+]/.test(wanted))
    return other(`${project} installs it from ${wanted.split(/[:+]/, 1)[0]}:, not from a registry`)
  return { by: 'npm', name, version, folder, prefix: isGlobal ? dirname(place) : place, isGlobal }
}

/** undefined: it belongs to no package. */
export function packageFolderOf(program: string): string | undefined {
  if (!existsSync(program)) return undefined
  let folder = dirname(realpathSync(program))
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return undefined
    folder = dirname(folder)
  }
  return folder
}

function dependencyOf(file: string, name: string): string | undefined {
  if (!existsSync(file)) return undefined
  const { dependencies = {} } = readJson(file) as { dependencies?: Record<string, string> }
  return dependencies[name]
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
