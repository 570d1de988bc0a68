import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { homeAt } from '../domain/home.js'

export interface ShadowOptions {
  /** The main file of the real configuration. */
  readonly mainFile: string
  /** The folder that the main file, or another one in its folder, includes. */
  readonly live: string
  /** What is to be in its place. */
  readonly staged: string
  /** Holds the configurations of all generations; left as it is. */
  readonly own: string
  /** Where the shadow is made; it is not there. */
  readonly folder: string
}

export interface Shadow {
  readonly mainFile: string
  /** Whether `live` was found anywhere. */
  readonly isIncluded: boolean
  /** Path of the real file that a path of the shadow stands for. */
  real(path: string): string
}

/** Larger files are no configuration, in bytes. */
const maxBytes = 2 ** 20
const maxDepth = 4

/**
 * A second configuration beside the real one in which another generation is included: so it is tested as a whole, with
 * whatever else the machine serves, before it takes its place. Files that name the folder of the real configuration are
 * copied with the new names in them, the others are links.
 */
export function makeShadow({ mainFile, live, staged, own, folder }: ShadowOptions): Shadow {
  const root = dirname(mainFile)
  const main = basename(mainFile)
  let isIncluded = false
  // The longest name first, each place once.
  const replacements = new Map([
    [live, staged],
    [own, own],
    [root, folder],
  ])
  const names = [...replacements.keys()].map((name) => name.replaceAll(/[^\w/]/g, '\\$&'))
  const pattern = new RegExp(`(?:${names.join('|')})(?=[/"'\\s;]|$)`, 'gm')
  const rewrite = (text: string) => text.replaceAll(pattern, (found) => replacements.get(found) as string)

  const visit = (from: string, to: string, depth: number) => {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(from)) {
      const [source, target] = [join(from, name), join(to, name)]
      if (source === own) continue
      // A manager's home beside the configuration: to read and close a file of a lock there would give the lock up.
      if (existsSync(homeAt(source).database)) {
        symlinkSync(source, target)
        continue
      }
      const stats = statSync(source, { throwIfNoEntry: false })
      if (stats?.isDirectory() && depth < maxDepth && !lstatSync(source).isSymbolicLink()) {
        visit(source, target, depth + 1)
      } else if (stats?.isDirectory()) {
        symlinkSync(rewrite(realpathSync(source)), target)
      } else if (stats?.isFile()) {
        const text = stats.size > maxBytes ? undefined : textOf(source)
        const changed = text === undefined ? undefined : rewrite(text)
        if (text?.includes(`${live}/`)) isIncluded = true
        if (changed === undefined || (changed === text && source !== mainFile)) symlinkSync(source, target)
        else writeFileSync(target, changed, { mode: 0o600 })
      }
    }
  }
  visit(root, folder, 0)
  return {
    mainFile: join(folder, main),
    isIncluded,
    real: (path) => (path.startsWith(`${folder}/`) ? join(root, path.slice(folder.length + 1)) : path),
  }
}

/** Undefined for what is not a text, or a key. */
function textOf(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    return text.includes('\0') || text.includes('PRIVATE KEY') ? undefined : text
  } catch {
    // Not for this user; the program complains when it needs it.
    return undefined
  }
}
