import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { removeTree } from '../accounts/remove-tree.js'
import { unpackTar } from 'modern-tar/fs'
import { maxSatisfying, validRange } from 'semver'
import { ManagerError } from '../../errors.js'
import { applicationLimits, hashFile } from './application-tree.js'
import { npmEnvironment } from './npm-environment.js'
import { runTool } from './run-tool.js'
import type { TemplateSource } from './template-source.js'

export interface NpmSourceOptions {
  /** Where relative paths start: the manager's home. */
  readonly base: string
  /** For what is needed for a moment; names begin with `.fetch-`. */
  readonly workFolder: string
}

type NpmLocation = { readonly file: string } | { readonly name: string; readonly range: string }

/** What `npm view <name> --json` says, as far as it is used. */
export interface Packument {
  readonly versions?: string | readonly string[]
  readonly 'dist-tags'?: Readonly<Record<string, string>>
  readonly time?: Readonly<Record<string, string>>
}

/**
 * `npm:<name>@<range>`, or `npm:file:<path>` for what `npm pack` made: revision is the version (of a file with a hash),
 * date that of its publication. The program `npm` asks the registry of the user's settings and checks integrity.
 */
export function createNpmSource({ base, workFolder }: NpmSourceOptions): TemplateSource {
  async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = join(workFolder, `.fetch-${randomUUID()}`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return await work(folder)
    } finally {
      await removeTree(folder)
    }
  }

  const npm = (folder: string, attempt: string, signal: AbortSignal | undefined, ...args: string[]) =>
    runTool('npm', { args: [...args, '--prefix', folder], attempt, environment: npmEnvironment, folder, signal })

  return {
    name: 'npm',
    accepts: (location) => location.startsWith('npm:') && location.length > 'npm:'.length,
    async latest(location, signal) {
      const place = parse(location, base)
      if ('file' in place) {
        const { mtime } = await look(place.file)
        return { revision: await hashFile(place.file, signal), date: mtime.toISOString() }
      }
      const { name, range } = place
      return withFolder(async (folder) => {
        const view = ['view', name, 'versions', 'dist-tags', 'time', '--json']
        const answer = JSON.parse((await npm(folder, `Cannot look for ${name}`, signal, ...view)) || '{}') as Packument
        const version = chooseVersion(answer, range)
        if (version === undefined)
          throw new ManagerError('ERR_TEMPLATE', `The package ${name} has no version "${range}".`, {
            help: 'After @, use a version, a range such as ^1.2, or a tag such as latest.',
          })
        return { revision: version, date: new Date(answer.time?.[version] ?? 0).toISOString() }
      })
    },
    async fetch(location, { revision }, folder, signal) {
      const place = parse(location, base)
      await withFolder(async (work) => {
        if ('file' in place) {
          await look(place.file)
          if ((await hashFile(place.file, signal)) !== revision)
            throw new ManagerError('ERR_TEMPLATE', `${place.file} was changed.`, { command: 'refresh' })
          await unpack(place.file, folder, signal)
        } else {
          const pack = ['pack', `${place.name}@${revision}`, '--ignore-scripts', '--pack-destination', work]
          await npm(work, `Cannot fetch ${place.name} ${revision}`, signal, ...pack)
          const archive = (await readdir(work)).find((name) => name.endsWith('.tgz')) ?? ''
          await unpack(join(work, archive), folder, signal)
        }
      })
      if (!(await needsPackages(folder))) return
      const flags = [
        '--omit=dev',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--no-package-lock',
        '--no-workspaces',
      ]
      await npm(folder, 'Cannot install the packages that the template needs', signal, 'install', ...flags)
    },
  }
}

/** @throws ManagerError ERR_TEMPLATE */
function parse(location: string, base: string): NpmLocation {
  const text = location.slice('npm:'.length)
  if (text.startsWith('file:')) return { file: resolve(base, text.slice('file:'.length)) }
  const [, name, range = 'latest'] = /^((?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*)(?:@([^@]+))?$/.exec(text) ?? []
  if (name !== undefined) return { name, range }
  throw new ManagerError('ERR_TEMPLATE', `"${text}" is not a valid npm package.`, {
    help: 'Use npm:<name>@<range>, e.g. npm:@example/shop@^1.2, or npm:file:<path of a .tgz>.',
  })
}

/** The version that a tag or a range means now. */
export function chooseVersion({ versions = [], 'dist-tags': tags = {} }: Packument, range: string): string | undefined {
  if (Object.hasOwn(tags, range)) return tags[range]
  if (validRange(range) === null) return undefined
  return maxSatisfying([versions].flat(), range) ?? undefined
}

async function look(file: string) {
  const stats = await stat(file).catch((cause: Error) => {
    throw new ManagerError('ERR_TEMPLATE', `${file} cannot be read: ${cause.message}`, { cause })
  })
  if (stats.isFile()) return stats
  throw new ManagerError('ERR_TEMPLATE', `${file} is not a file.`, { help: 'Use a file made by "npm pack".' })
}

/** Archives have one folder, mostly `package`, with all in it. */
async function unpack(file: string, folder: string, signal: AbortSignal | undefined): Promise<void> {
  const { maxBytes } = applicationLimits
  let bytes = 0
  const map = <Header extends { readonly name: string; readonly size?: number }>(header: Header) => {
    bytes += header.size ?? 0
    if (bytes > maxBytes) throw new Error(`it contains more than ${maxBytes} bytes`)
    return header
  }
  try {
    await pipeline(createReadStream(file), createGunzip(), unpackTar(folder, { strip: 1, map }), { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw new ManagerError('ERR_TEMPLATE', `Cannot unpack ${file}: ${(error as Error).message}`, { cause: error })
  }
}

async function needsPackages(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
  try {
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: object }
    return Object.keys(dependencies).length > 0
  } catch (error) {
    throw new ManagerError('ERR_TEMPLATE', `Its package.json cannot be read: ${(error as Error).message}`)
  }
}
