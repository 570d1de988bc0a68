import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readForeignFile } from '../accounts/foreign.js'

/** Where packages are looked for: what the application has goes before what the manager has. */
export function packagePlaces(app: string): readonly string[] {
  return [app, dirname(fileURLToPath(import.meta.url))]
}

/**
 * The file of a package's command that the application has, else the manager.
 *
 * @param bin name of the command
 * @returns undefined when neither has it
 */
export function commandOfPackage(name: string, bin: string, app: string): string | undefined {
  return packagePlaces(app).flatMap((folder) => commandFrom(folder, name, bin) ?? [])[0]
}

/** The same of the manager alone. */
export function managersCommand(name: string, bin: string): string | undefined {
  return commandFrom(dirname(fileURLToPath(import.meta.url)), name, bin)
}

/** That of a folder or those above it. */
export function commandFrom(folder: string, name: string, bin: string): string | undefined {
  const own = join(folder, 'node_modules', name)
  const file = join(own, 'package.json')
  const text = readForeignFile(file)
  if (text !== undefined) {
    const { bin: commands } = binOf(text)
    const command = typeof commands === 'string' ? commands : commands?.[bin]
    return command === undefined ? undefined : join(own, command)
  }
  const above = dirname(folder)
  return above === folder ? undefined : commandFrom(above, name, bin)
}

/** A package without commands when it cannot be read: the application may have written it. */
function binOf(text: string): { readonly bin?: string | Readonly<Record<string, string>> } {
  try {
    return JSON.parse(text) as ReturnType<typeof binOf>
  } catch {
    return {}
  }
}
