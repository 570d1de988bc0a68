import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs'
import { chmod, constants, cp, mkdir, readdir, rename } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { Home } from '../domain/home.js'
import { packageClosure, type PlacedPackage } from '../files/package-closure.js'
import { syncPath } from '../files/tree.js'

/** An application server that npm installed, with all that it needs. */
export interface InstalledServer {
  /** Its version, and a hash of its code and of what it needs: `1.2.0-0123456789ab`. */
  readonly id: string
  /** It comes first. */
  readonly packages: readonly PlacedPackage[]
  /** Path of its program in its package. */
  readonly program: string
}

/** @param program of the manager. @returns undefined when it is not in a `node_modules`, but in a checkout. */
export function installedServer(program: string): InstalledServer | undefined {
  const file = realpathSync(program)
  if (!file.includes('/node_modules/')) return undefined
  const packages = packageClosure(file)
  const [server] = packages
  if (!server) return undefined
  const hash = createHash('sha256')
  let version = ''
  for (const { name, folder, place } of packages) {
    const { version: its } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    if (folder === server.folder) version = its
    hash.update(`${place} ${its}\n`)
    // Packages of one version may differ while they are not published.
    if (!name.startsWith('@steward/')) continue
    for (const code of globSync('dist/**/*.js', { cwd: folder }).toSorted())
      hash.update(code).update(readFileSync(join(folder, code)))
  }
  return { id: `${version}-${hash.digest('hex').slice(0, 12)}`, packages, program: relative(server.folder, file) }
}

/** Program of a server in the store. */
export function storedProgram({ servers }: Pick<Home, 'servers'>, id: string): string {
  return join(servers, id, 'node_modules/@steward/app-server/dist/cli.js')
}

/** Copies a server into the store, whole or not at all; it shares blocks of the disk where that is possible. */
export async function storeServer({ servers }: Pick<Home, 'servers'>, server: InstalledServer): Promise<void> {
  const target = join(servers, server.id)
  if (existsSync(target)) return
  const part = join(servers, `.${server.id}-${process.pid}`)
  await mkdir(servers, { recursive: true })
  await removeTree(part)
  try {
    for (const { folder, place } of server.packages)
      await cp(folder, join(part, place), {
        recursive: true,
        mode: constants.COPYFILE_FICLONE,
        verbatimSymlinks: true,
        // Packages in packages have places of their own; the rest is not run.
        filter: (path) =>
          path === folder ||
          !(basename(path) === 'node_modules' || /(?:\.map|\.d\.[cm]?ts)$|\/better-sqlite3\/(?:deps|src)$/.test(path)),
      })
    await open(servers, part, server)
    await syncPath(part)
    await rename(part, target)
    await syncPath(servers)
  } catch (error) {
    await removeTree(part)
    // Another process was first.
    if (!existsSync(target)) throw error
  }
}

/** Accounts of instances run what is there, whatever the umask of the manager is. */
async function open(servers: string, part: string, { packages }: InstalledServer): Promise<void> {
  const folders = new Set([servers, part])
  for (const { place } of packages)
    for (let folder = place; folder !== '.'; folder = dirname(folder)) folders.add(join(part, folder))
  for (const folder of folders) await chmod(folder, 0o755)
}

/** Removes servers that no version uses, and what a kill left of copies. */
export async function removeServers({ servers }: Pick<Home, 'servers'>, used: ReadonlySet<string>): Promise<void> {
  if (!existsSync(servers)) return
  for (const name of await readdir(servers)) if (!used.has(name)) await removeTree(join(servers, name))
}
