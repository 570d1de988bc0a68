import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { ManagerError } from '../../../errors.js'
import { packageClosure, packageFolderOf, type PlacedPackage } from '../../files/package-closure.js'
import type { ContainerEngine } from '../container/engine.js'
import { findImage, imageOf } from '../container/image.js'
import { isBelow, realPath } from '../container/program-folders.js'
import type { InstanceSpec } from '../runtime.js'

export interface AppImageOptions {
  /** Image with Node and a shell; undefined: one that is made from this machine's own Node. */
  readonly base: string | undefined
  /** `registry.example.org:5000`; undefined: there is none, and all tasks run on this machine. */
  readonly registry: string | undefined
  /** What `registryAuth` gives. */
  readonly auth: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface AppImage {
  /** By its digest in the registry, or by its id: never by a tag, which may mean something else tomorrow. */
  readonly reference: string
  /** Path in it of the first argument of the command: the application server. */
  readonly program: string
}

/** Where an application is in its image. */
export const appFolder = '/app'
/** Where the programs of the manager are. */
const programsFolder = '/opt/steward'
const repository = 'steward'

/**
 * The image of an instance's application: what a node needs to run it. It is made once for each content, in layers that
 * instances share: Node, the application server with all that it needs, the application.
 */
export async function appImageOf(
  engine: ContainerEngine,
  spec: InstanceSpec,
  { base: wanted, registry, auth, signal }: AppImageOptions,
): Promise<AppImage> {
  const { workingFolder, command } = spec
  if (!existsSync(workingFolder))
    throw new ManagerError('ERR_FAILED', `Cannot start the application: folder not found: ${workingFolder}`)
  const base = await imageOf(engine, { wanted, signal })
  const script = realPath(command[1] ?? '')
  const app = realPath(workingFolder)
  const closure = isBelow(script, app) ? [] : packageClosure(script)
  const [server] = closure
  const program = server
    ? join(programsFolder, server.place, relative(packageFolderOf(script), script))
    : join(appFolder, relative(app, script))
  let below = base.id
  if (server) {
    const made = `${repository}-server:${hashOf([base.id, ...closure.map(contentOf)])}`
    below = await ensure(engine, {
      name: made,
      from: base.id,
      sources: closure.flatMap(sourcesOf),
      isFlat: true,
      signal,
    })
  }
  const files = filesBelow(workingFolder)
  const tag = hashOf([below, ...files.map((file) => fileContent(workingFolder, file))])
  const name = `${registry === undefined ? '' : `${registry}/`}${repository}/app:${tag}`
  const id = await ensure(engine, { name, from: below, sources: [appSource(app)], signal })
  const reference = registry === undefined ? id : await pushed(engine, name, { registry, auth, signal })
  return { reference, program }
}

interface Layer {
  readonly name: string
  /** Id of the image below it. */
  readonly from: string
  readonly sources: readonly Source[]
  /** Packages in packages have places of their own. */
  readonly isFlat?: boolean
  readonly signal: AbortSignal | undefined
}

interface Source {
  readonly type: 'directory' | 'file'
  readonly source: string
  readonly target: string
  readonly uid: 0
  readonly gid: 0
}

/** @returns id of the image, which is made when it is not there */
async function ensure(
  engine: ContainerEngine,
  { name, from, sources, isFlat = false, signal }: Layer,
): Promise<string> {
  const found = await findImage(engine, name)
  if (found) return found.id
  const { packTar } = await import('modern-tar/fs')
  const dockerfile = `FROM ${from}\nCOPY layer /\n`
  const entries = [{ type: 'content' as const, target: 'Dockerfile', content: dockerfile, mode: 0o644 }, ...sources]
  const body = packTar(entries, {
    filter: (path) => !isSuperfluous(path) && !(isFlat && basename(path) === 'node_modules'),
    // An application may be read by the account that runs it.
    map: (header) => ({ ...header, mode: (header.mode ?? 0o644) | (header.type === 'directory' ? 0o755 : 0o444) }),
  })
  await engine.follow('/build', { query: { t: name, forcerm: '1' }, body, signal }, () => undefined)
  const made = await findImage(engine, name)
  if (!made) throw new ManagerError('ERR_FAILED', `The container engine has no image "${name}" after all.`)
  return made.id
}

interface FoundImage {
  readonly RepoDigests?: readonly string[] | null
}

/** @returns its name by its digest; it is pushed when the registry has not got it */
async function pushed(
  engine: ContainerEngine,
  name: string,
  { registry, auth, signal }: { readonly registry: string } & Pick<AppImageOptions, 'auth' | 'signal'>,
): Promise<string> {
  const repositoryName = name.slice(0, name.lastIndexOf(':'))
  const known = async () => {
    const found = await engine.ask<FoundImage>('GET', `/images/${name}/json`)
    return (found?.RepoDigests ?? []).find((each) => each.startsWith(`${repositoryName}@`))
  }
  const before = await known()
  if (before !== undefined) return before
  // It asks for the header also where there is no password.
  const headers = { 'X-Registry-Auth': Buffer.from('{}').toString('base64'), ...auth }
  const query = { tag: name.slice(repositoryName.length + 1) }
  try {
    await engine.follow(`/images/${repositoryName}/push`, { query, headers, signal }, () => undefined)
  } catch (error) {
    if (!ManagerError.is(error) || error.code !== 'ERR_FAILED') throw error
    throw new ManagerError(
      'ERR_STATE',
      `The image cannot be pushed to the registry ${registry}: ${error.message.replace(/^The container engine refused: /, '')}`,
      {
        cause: error,
        help:
          'Check that APPS_SWARM_REGISTRY is right and its registry runs, and the account in APPS_SWARM_REGISTRY_USER ' +
          'and _PASSWORD_FILE if it has passwords. A registry without TLS must be in "insecure-registries" of the ' +
          'engine of each node.',
      },
    )
  }
  const digest = await known()
  if (digest !== undefined) return digest
  throw new ManagerError('ERR_FAILED', `The registry ${registry} returned no digest of the image ${name}.`)
}

function appSource(source: string): Source {
  return { type: 'directory', source, target: join('layer', appFolder), uid: 0, gid: 0 }
}

/** What a package publishes. */
function sourcesOf({ folder, place, files }: PlacedPackage): readonly Source[] {
  return (files ?? ['.']).flatMap((file) => {
    const source = join(folder, file)
    const stats = lstatSync(source, { throwIfNoEntry: false })
    if (!stats) return []
    const target = join('layer', programsFolder, place, file)
    return [{ type: stats.isDirectory() ? ('directory' as const) : ('file' as const), source, target, uid: 0, gid: 0 }]
  })
}

/** What is not run. */
function isSuperfluous(path: string): boolean {
  return /(?:\.map|\.d\.[cm]?ts)$|\/better-sqlite3\/(?:deps|src)$/.test(path)
}

/** What distinguishes one server from another: packages of one version may differ while they are not published. */
function contentOf({ folder, place, files }: PlacedPackage): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version?: string }
  const own = place.includes('@steward/') && files ? filesBelow(join(folder, 'dist')) : []
  const code = own.map((file) => fileContent(join(folder, 'dist'), file))
  return [place, version, ...code].join(' ')
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !isSuperfluous(file))
    .toSorted()
}

function fileContent(folder: string, file: string): string {
  return `${file} ${createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')}`
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 24)
}
