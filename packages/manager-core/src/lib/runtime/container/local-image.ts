import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arch } from 'node:process'
import { ManagerError } from '../../../errors.js'
import { programPath } from '../../system/run.js'
import type { ContainerEngine } from './engine.js'

interface LocalImageOptions {
  readonly onProgress?: ((text: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

const repository = 'steward-node'

/** What the supervisor needs, and people who look around. */
const needed = ['sh', 'date', 'mv', 'rm', 'sleep']
const comfort = ['cat', 'chown', 'cp', 'env', 'grep', 'id', 'ls', 'mkdir', 'ps', 'tail']

interface Program {
  readonly name: string
  readonly file: string
}

/** Another Node, another shell: another image. */
export async function localImageName(): Promise<string> {
  const files = programs().map(({ file }) => {
    const { size, mtimeMs } = statSync(file)
    return `${file} ${size} ${mtimeMs}`
  })
  const hash = createHash('sha256')
    .update(`with folders\n${files.join('\n')}`)
    .digest('hex')
    .slice(0, 12)
  return `${repository}:${process.version.slice(1)}-${arch}-${hash}`
}

/**
 * Makes an image from this machine's own Node, a shell, and the libraries that they load: no registry is asked. The
 * manager's programs are not in it: containers see them where they are.
 */
export async function makeLocalImage(
  engine: ContainerEngine,
  { onProgress, signal }: LocalImageOptions,
): Promise<void> {
  const name = await localImageName()
  onProgress?.(`Building the image ${name} from Node ${process.version}, without a registry`)
  const { packTar } = await import('modern-tar/fs')
  const query = { fromSrc: '-', repo: name }
  const sources = [...folders(), ...texts(), ...(await files())]
  const empty = await mkdtemp(join(tmpdir(), 'steward-image-'))
  try {
    const body = packTar([...foldersAbove(sources, empty), ...sources])
    await engine.follow('/images/create', { query, body, signal }, () => undefined)
  } finally {
    await rmdir(empty)
  }
  await removeOthers(engine, name)
}

/** Those of another Node before; the engine keeps what a container is made from. */
async function removeOthers(engine: ContainerEngine, name: string): Promise<void> {
  const filters = JSON.stringify({ reference: [repository] })
  const found = await engine.ask<readonly { readonly RepoTags?: readonly string[] }[]>('GET', '/images/json', {
    query: { filters },
  })
  const others = (found ?? []).flatMap(({ RepoTags }) => RepoTags ?? []).filter((each) => !isNamed(each, name))
  for (const other of others) await engine.ask('DELETE', `/images/${other}`, { besides: [404, 409] })
}

/** Some engines put the name of a registry before it. */
function isNamed(tag: string, name: string): boolean {
  return tag === name || tag.endsWith(`/${name}`)
}

function programs(): readonly Program[] {
  const found = [...needed, ...comfort].flatMap((name) => {
    const path = programPath(name)
    return path === undefined ? [] : [{ name: `bin/${name}`, file: realpathSync(path) }]
  })
  const missing = needed.filter((name) => !found.some((each) => each.name === `bin/${name}`))
  if (missing.length > 0)
    throw new ManagerError('ERR_STATE', `No image can be built from this machine: it has no ${missing.join(', ')}.`, {
      help: 'Name an image with Node and a shell in APPS_CONTAINER_IMAGE, such as node:24-slim.',
    })
  return [{ name: 'usr/local/bin/node', file: realpathSync(process.execPath) }, ...found]
}

async function files() {
  const found = programs()
  const libraries = new Set((await Promise.all(found.map(({ file }) => librariesOf(file)))).flat())
  const all = [...found, ...[...libraries].map((file) => ({ name: file.slice(1), file: realpathSync(file) }))]
  return all.map(({ name, file }) => ({
    type: 'file' as const,
    source: file,
    target: name,
    mode: 0o755,
    uid: 0,
    gid: 0,
  }))
}

/** Where a program looks for them; none for one that has all in itself. */
export async function librariesOf(file: string): Promise<readonly string[]> {
  const { execa } = await import('execa')
  const { stdout } = await execa(programPath('ldd') ?? 'ldd', [file], { reject: false, stdin: 'ignore' })
  return [...stdout.matchAll(/(?:=> |^\s*)(\/\S+)(?= \(0x)/gm)].map(([, path = '']) => path)
}

/**
 * Entries for the folders that targets are in, parents first: without them a storage driver makes some with a mode that
 * lets no container into them (`vfs`: 0600).
 *
 * @param empty folder of this machine
 */
export function foldersAbove(sources: readonly { readonly target: string }[], empty: string) {
  const all = new Set(
    sources.flatMap(({ target }) => {
      const parts = target.split('/').slice(0, -1)
      return parts.map((_part, at) => parts.slice(0, at + 1).join('/'))
    }),
  )
  return [...all].toSorted().map((target) => ({
    type: 'directory' as const,
    source: empty,
    target,
    mode: target === 'tmp' ? 0o1777 : 0o755,
    uid: 0,
    gid: 0,
  }))
}

function folders() {
  return ['tmp', 'proc', 'sys', 'dev', 'run'].map((target) => ({
    type: 'content' as const,
    target: `${target}/.keep`,
    content: '',
    mode: 0o644,
  }))
}

function texts() {
  const files = {
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nsteward:x:10001:10001::/tmp:/bin/sh\n',
    'etc/group': 'root:x:0:\nsteward:x:10001:\n',
    'etc/nsswitch.conf': 'hosts: files dns\n',
  }
  return Object.entries(files).map(([target, content]) => ({ type: 'content' as const, target, content, mode: 0o644 }))
}
