import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A package, and where it goes in a `node_modules` that holds all of them. */
export interface PlacedPackage {
  readonly name: string
  /** Absolute, without links. */
  readonly folder: string
  /** Below the root: `node_modules/koa`, `node_modules/koa/node_modules/debug`. */
  readonly place: string
  /** Files and folders that it publishes; undefined: all that is there. */
  readonly files: readonly string[] | undefined
}

interface PackageJson {
  readonly name: string
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/**
 * A package with all that it needs to run, as Node finds it now, and with its optional peers that are installed: drivers
 * and makers of documents. Packages that it needs do without theirs.
 *
 * @param file in the package
 * @throws Error naming a package that is not installed
 */
export function packageClosure(file: string): readonly PlacedPackage[] {
  const placed: PlacedPackage[] = []
  const queue = [place(packageFolderOf(realpathSync(file)), '')]
  // Breadth first: what is put at the root later never changes what an earlier one found.
  for (let current = queue.shift(); current; current = queue.shift()) {
    const { name, needed, wanted } = dependenciesOf(current.folder, current === placed[0])
    for (const dependency of [...needed, ...wanted]) {
      const folder = findPackage(dependency, current.folder)
      if (folder === undefined) {
        if (wanted.includes(dependency)) continue
        throw new Error(`"${dependency}", which "${name}" requires, is not installed.`)
      }
      const seen = resolve(dependency, current.place)
      if (seen?.folder === folder) continue
      queue.push(place(folder, seen ? current.place : '', dependency))
    }
  }
  return placed

  function place(folder: string, parent: string, name = readPackage(folder).name): PlacedPackage {
    const isInstalled = folder.includes('/node_modules/')
    const { files } = readPackage(folder)
    const made: PlacedPackage = {
      name,
      folder,
      place: join(parent, 'node_modules', name),
      files: isInstalled || !files ? undefined : [...files, 'package.json'],
    }
    placed.push(made)
    return made
  }

  /** What Node would find in the new place. */
  function resolve(name: string, from: string): PlacedPackage | undefined {
    for (let folder = from; ; folder = dirname(folder)) {
      const found = placed.find((one) => one.place === join(folder, 'node_modules', name))
      if (found || folder === '.' || folder === '') return found
    }
  }
}

function dependenciesOf(folder: string, withPeers: boolean) {
  const {
    name,
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = readPackage(folder)
  const isOptional = (peer: string) => peerDependenciesMeta[peer]?.optional === true
  const peers = Object.keys(peerDependencies)
  const required = peers.filter((peer) => !isOptional(peer))
  const wanted = [...Object.keys(optionalDependencies), ...(withPeers ? peers.filter(isOptional) : [])]
  // Declarations run nowhere.
  const isCode = (dependency: string) => !dependency.startsWith('@types/') && !wanted.includes(dependency)
  return { name, needed: [...Object.keys(dependencies), ...required].filter(isCode), wanted }
}

function readPackage(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson
}

/** The package that a file belongs to. */
export function packageFolderOf(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const json = join(folder, 'package.json')
    // Some have more of them, without a name, to say how files are read.
    if (existsSync(json) && readPackage(folder).name) return folder
    if (folder === dirname(folder)) throw new Error(`${file} belongs to no package.`)
  }
}

function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (basename(folder) !== 'node_modules' && existsSync(join(found, 'package.json'))) return realpathSync(found)
    if (folder === dirname(folder)) return undefined
  }
}
