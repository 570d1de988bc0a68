import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/**
 * Folders that hold a program with all that it imports: the outermost `node_modules` that it is in; in a checkout of the
 * project, all of that. When an instance is in the checkout too, the folders in it that are not on the way to that: what
 * is mounted above the instance would cover its folders with those of the manager's home, and show the others'.
 *
 * @param program without links
 * @param instance folder of the instance, without links
 */
export function programFolders(program: string, instance: string): readonly string[] {
  const part = `${sep}node_modules${sep}`
  const at = program.indexOf(part)
  if (at >= 0) return [program.slice(0, at + part.length - 1)]
  const folder = parents(program).findLast((each) => existsSync(join(each, 'node_modules'))) ?? dirname(program)
  if (!isBelow(instance, folder)) return [folder]
  return readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isDirectory() && !each.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .filter((each) => !isBelow(instance, each))
}

/** Without those that are in another one. */
export function withoutNested(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)]
  return all.filter((each) => !all.some((other) => other !== each && isBelow(each, other)))
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`)
}

export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** From the innermost to the outermost, without the root. */
function parents(path: string): readonly string[] {
  const above = dirname(path)
  return dirname(above) === above ? [] : [above, ...parents(above)]
}
