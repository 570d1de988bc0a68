import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/**
 * The folder that holds a program with all that it imports: the outermost `node_modules` that it is in; in a checkout of
 * the project, all of that.
 *
 * @param program without links
 */
export function programFolder(program: string): string {
  const part = `${sep}node_modules${sep}`
  const at = program.indexOf(part)
  if (at >= 0) return program.slice(0, at + part.length - 1)
  return parents(program).findLast((each) => existsSync(join(each, 'node_modules'))) ?? dirname(program)
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
