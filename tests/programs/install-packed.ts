import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * Packs plug-ins of `examples` and installs them into an empty folder by npm, without a registry: what npm would have to
 * fetch is an error. Packages of others that they need are links to those of this repository.
 *
 * @param examples folders below `examples`
 * @returns the names of the packages
 */
export function installPacked(folder: string, examples: readonly string[]): string[] {
  const packing = join(folder, 'tarballs')
  mkdirSync(packing)
  const sources = examples.map((example) => join(root, 'examples', example))
  const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', packing, ...sources], folder)
  const manifests = sources.map((source) => JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest)
  const tarballs = filenames(JSON.parse(packed)).map((name) => join(packing, name))
  const [alone, others] = [
    tarballs.filter((_, at) => !manifests[at]?.dependencies),
    tarballs.filter((_, at) => manifests[at]?.dependencies),
  ]
  npm(['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...alone], folder)
  for (const tarball of others) {
    const { name, dependencies } = manifests[tarballs.indexOf(tarball)] as Manifest
    const place = join(folder, 'node_modules', name)
    mkdirSync(place, { recursive: true })
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', place])
    for (const needed of Object.keys(dependencies ?? {})) link(needed, folder)
  }
  return manifests.map(({ name }) => name)
}

/** One row per package, in the order of the call; newer versions of npm give them by name. */
function filenames(report: Record<string, { filename: string }> | { filename: string }[]): string[] {
  return Object.values(report).map(({ filename }) => filename)
}

function link(name: string, folder: string): void {
  const place = join(folder, 'node_modules', name)
  if (existsSync(place)) return
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), place, 'junction')
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
