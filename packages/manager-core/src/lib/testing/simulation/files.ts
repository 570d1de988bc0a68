// The calls of `node:fs` on the simulated disk, which nothing counts and nothing disturbs.
import type * as Fs from 'node:fs'
import { constants } from 'node:fs'
import {
  changed,
  closeFile,
  failure,
  find,
  lookUp,
  makeNode,
  openNode,
  openOf,
  partsOf,
  placeOf,
  put,
  take,
  touch,
} from './disk.js'
import type { Node, Open } from './disk.js'

const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW, O_DIRECTORY, O_RDWR, O_WRONLY } = constants

/** What a disk of 100 GB reports. */
const [blockBytes, blocks] = [4096, 25_000_000]

const nodeOf = (file: Fs.PathLike | number, call: string) =>
  typeof file === 'number' ? openOf(file, call).node : find(String(file), call)

function bytesOf(content: unknown, options?: unknown): Buffer {
  if (typeof content === 'string') return Buffer.from(content, encodingOf(options) ?? 'utf8')
  const { buffer, byteOffset, byteLength } = content as Uint8Array
  // Who wrote it may change it afterwards.
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength))
}

const encodingOf = (options: unknown) =>
  (typeof options === 'string' ? options : (options as { encoding?: BufferEncoding } | undefined)?.encoding) as
    | BufferEncoding
    | undefined

interface WriteOptions {
  readonly mode?: number
  readonly flag?: string
}

function write(path: Fs.PathLike | number, content: unknown, options: unknown, flag: string): void {
  const { mode, flag: given = flag } =
    ((typeof options === 'object' ? options : undefined) as WriteOptions & object) ?? {}
  const bytes = bytesOf(content, options)
  if (typeof path === 'number') return void writeAt(openOf(path, 'write'), bytes)
  const file = openSync(path, given, mode)
  writeAt(openOf(file, 'write'), bytes)
  closeFile(file)
}

function writeAt(open: Open, bytes: Buffer, position?: number | null): number {
  const { node } = open
  const at = position ?? (open.appends ? node.content.length : open.at)
  if (at === 0 && bytes.length >= node.content.length) node.content = bytes
  else {
    const size = Math.max(node.content.length, at + bytes.length)
    const content = Buffer.alloc(size)
    node.content.copy(content)
    bytes.copy(content, at)
    node.content = content
  }
  if (position === undefined || position === null) open.at = at + bytes.length
  changed(node)
  return bytes.length
}

function flagsOf(flags: Fs.OpenMode | undefined): number {
  if (typeof flags === 'number') return flags
  const text = flags ?? 'r'
  const readsToo = text.includes('+') ? O_RDWR : O_WRONLY
  const exclusive = text.includes('x') ? O_EXCL : 0
  if (text.startsWith('w')) return readsToo | O_CREAT | O_TRUNC | exclusive
  if (text.startsWith('a')) return readsToo | O_CREAT | O_APPEND | exclusive
  return text.includes('+') ? O_RDWR : 0
}

export function openSync(path: Fs.PathLike, flags?: Fs.OpenMode, mode?: Fs.Mode | null): number {
  const [text, bits] = [String(path), flagsOf(flags)]
  const follows = (bits & O_NOFOLLOW) === 0 && (bits & O_EXCL) === 0
  const place = placeOf(text, 'open', follows)
  let { node } = place
  if (node && (bits & O_CREAT) !== 0 && (bits & O_EXCL) !== 0) throw failure('EEXIST', 'open', text)
  if (!node && (bits & O_CREAT) === 0) throw failure('ENOENT', 'open', text)
  if (node?.kind === 'link') throw failure('ELOOP', 'open', text)
  if (node?.kind === 'folder' && (bits & (O_WRONLY | O_RDWR)) !== 0) throw failure('EISDIR', 'open', text)
  if (node?.kind === 'file' && (bits & O_DIRECTORY) !== 0) throw failure('ENOTDIR', 'open', text)
  node ??= put(place, makeNode('file', Number(mode ?? 0o666) & ~0o022))
  if ((bits & O_TRUNC) !== 0 && node.content.length > 0) {
    node.content = Buffer.alloc(0)
    changed(node)
  }
  return openNode(node, (bits & O_APPEND) !== 0)
}

export const closeSync: typeof Fs.closeSync = closeFile

export function writeSync(
  file: number,
  content: unknown,
  offset?: unknown,
  length?: unknown,
  position?: unknown,
): number {
  const open = openOf(file, 'write')
  if (typeof content === 'string') return writeAt(open, Buffer.from(content), offset as number | null | undefined)
  const bytes = bytesOf(content)
  const from = (offset as number | null | undefined) ?? 0
  const end = from + ((length as number | null | undefined) ?? bytes.length - from)
  return writeAt(open, bytes.subarray(from, end), position as number | null | undefined)
}

export function readSync(
  file: number,
  into: Uint8Array,
  offset = 0,
  length = into.byteLength - offset,
  position: number | bigint | null = null,
): number {
  const open = openOf(file, 'read')
  if (open.node.kind === 'folder') throw failure('EISDIR', 'read', String(file))
  const at = position === null || Number(position) < 0 ? open.at : Number(position)
  const part = open.node.content.subarray(at, at + length)
  into.set(part, offset)
  if (position === null) open.at += part.length
  return part.length
}

export function writeFileSync(path: Fs.PathLike | number, content: unknown, options?: unknown): void {
  write(path, content, options, 'w')
}

export function appendFileSync(path: Fs.PathLike | number, content: unknown, options?: unknown): void {
  write(path, content, options, 'a')
}

export function readFileSync(
  path: Fs.PathLike | number,
  encoding: BufferEncoding | { encoding: BufferEncoding },
): string
export function readFileSync(path: Fs.PathLike | number, options?: unknown): Buffer
export function readFileSync(path: Fs.PathLike | number, options?: unknown): string | Buffer {
  const { kind, content } = nodeOf(path, 'open')
  if (kind === 'folder') throw failure('EISDIR', 'read', String(path))
  const encoding = encodingOf(options)
  return encoding ? content.toString(encoding) : Buffer.from(content)
}

/** What a file has in it: the same object until another content is written. */
export function contentOf(path: string): Buffer {
  return find(path, 'open').content
}

export function mkdirSync(path: Fs.PathLike, options?: Fs.MakeDirectoryOptions | Fs.Mode | null): string | undefined {
  const text = String(path)
  const { recursive = false, mode } = (typeof options === 'object' ? options : undefined) ?? {}
  const bits = Number(mode ?? (typeof options === 'number' ? options : 0o777)) & 0o7777 & ~0o022
  if (!recursive) {
    const place = placeOf(text, 'mkdir', false)
    if (place.node) throw failure('EEXIST', 'mkdir', text)
    put(place, makeNode('folder', bits))
    return undefined
  }
  let first: string | undefined
  let at = ''
  for (const part of partsOf(text)) {
    at += `/${part}`
    const place = placeOf(at, 'mkdir')
    if (place.node && place.node.kind !== 'folder') throw failure(at === text ? 'EEXIST' : 'ENOTDIR', 'mkdir', text)
    if (place.node) continue
    put(place, makeNode('folder', bits))
    first ??= at
  }
  return first
}

export function renameSync(from: Fs.PathLike, to: Fs.PathLike): void {
  const [source, target] = [String(from), String(to)]
  const old = lookUp(source, 'rename', false)
  const place = lookUp(target, 'rename', false)
  if (!old?.node || !place) throw failure('ENOENT', 'rename', source, target)
  if (old.node === place.node) return
  if (place.node) {
    const isFolder = place.node.kind === 'folder'
    if (isFolder !== (old.node.kind === 'folder'))
      throw failure(isFolder ? 'EISDIR' : 'ENOTDIR', 'rename', source, target)
    if (place.node.entries.size > 0) throw failure('ENOTEMPTY', 'rename', source, target)
    take(place)
  }
  if (isBelow(place.folder, old.node)) throw failure('EINVAL', 'rename', source, target)
  old.folder.entries.delete(old.name)
  changed(old.folder)
  touch(put(place, old.node))
}

function isBelow(node: Node, folder: Node): boolean {
  return (
    node === folder || [...folder.entries.values()].some((entry) => entry.kind === 'folder' && isBelow(node, entry))
  )
}

export function symlinkSync(target: Fs.PathLike, path: Fs.PathLike, _type?: unknown): void {
  const place = placeOf(String(path), 'symlink', false)
  if (place.node) throw failure('EEXIST', 'symlink', String(target), String(path))
  put(place, makeNode('link', 0o777)).target = String(target)
}

export function linkSync(from: Fs.PathLike, to: Fs.PathLike): void {
  const node = find(String(from), 'link', false)
  const place = placeOf(String(to), 'link', false)
  if (place.node) throw failure('EEXIST', 'link', String(from), String(to))
  put(place, node).names++
}

export function copyFileSync(from: Fs.PathLike, to: Fs.PathLike, mode = 0): void {
  const { kind, content, mode: bits } = find(String(from), 'copyfile')
  if (kind === 'folder') throw failure('EISDIR', 'copyfile', String(from), String(to))
  const place = placeOf(String(to), 'copyfile')
  if (place.node && (mode & constants.COPYFILE_EXCL) !== 0)
    throw failure('EEXIST', 'copyfile', String(from), String(to))
  const node = place.node ?? put(place, makeNode('file', bits))
  node.content = content
  changed(node)
}

export function unlinkSync(path: Fs.PathLike): void {
  const place = placeOf(String(path), 'unlink', false)
  if (!place.node) throw failure('ENOENT', 'unlink', String(path))
  if (place.node.kind === 'folder') throw failure('EISDIR', 'unlink', String(path))
  take(place)
}

export function rmdirSync(path: Fs.PathLike): void {
  const place = placeOf(String(path), 'rmdir', false)
  if (!place.node) throw failure('ENOENT', 'rmdir', String(path))
  if (place.node.kind !== 'folder') throw failure('ENOTDIR', 'rmdir', String(path))
  if (place.node.entries.size > 0) throw failure('ENOTEMPTY', 'rmdir', String(path))
  take(place)
}

export function rmSync(path: Fs.PathLike, { force = false, recursive = false }: Fs.RmOptions = {}): void {
  const place = lookUp(String(path), 'rm', false)
  if (!place?.node) {
    if (force) return
    throw failure('ENOENT', 'rm', String(path))
  }
  if (place.node.kind === 'folder' && !recursive)
    throw Object.assign(failure('EISDIR', 'rm', String(path)), { code: 'ERR_FS_EISDIR' })
  take(place)
}

export const readlinkSync = ((path: Fs.PathLike, options?: unknown): string | Buffer => {
  const { kind, target } = find(String(path), 'readlink', false)
  if (kind !== 'link') throw failure('EINVAL', 'readlink', String(path))
  return inEncoding(target, options)
}) as typeof Fs.readlinkSync

/** Names are bytes where that is asked for. */
const inEncoding = (name: string, options: unknown): string | Buffer =>
  (encodingOf(options) as string | undefined) === 'buffer' ? Buffer.from(name) : name

export function realpathSync(path: Fs.PathLike): string {
  let real = ''
  const left = partsOf(String(path))
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    const { kind, target } = find(`${real}/${part}`, 'realpath', false)
    if (kind !== 'link') real += `/${part}`
    else {
      left.unshift(...partsOf(target.startsWith('/') ? target : `${real}/${target}`))
      real = ''
    }
  }
  return real === '' ? '/' : real
}

export function existsSync(path: Fs.PathLike): boolean {
  try {
    return lookUp(String(path), 'access')?.node !== undefined
  } catch {
    return false
  }
}

export function accessSync(path: Fs.PathLike, mode = 0): void {
  const node = find(String(path), 'access')
  if ((mode & constants.X_OK) !== 0 && (node.mode & 0o111) === 0)
    throw Object.assign(failure('EACCES', 'access', String(path)), { errno: -13 })
}

function setOf(change: (node: Node, ...values: never[]) => void, call: string, follows = true) {
  return (file: Fs.PathLike | number, ...values: unknown[]): void => {
    const node = typeof file === 'number' ? openOf(file, call).node : find(String(file), call, follows)
    change(node, ...(values as never[]))
    touch(node)
  }
}

const setMode = (node: Node, mode: Fs.Mode) => (node.mode = typeof mode === 'string' ? Number.parseInt(mode, 8) : mode)
const setOwner = (node: Node, uid: number, gid: number) => Object.assign(node, { uid, gid })
const setTimes = (node: Node, accessed: Fs.TimeLike, modified: Fs.TimeLike) =>
  Object.assign(node, { accessed: msOf(accessed), modified: msOf(modified) })
const setLength = (node: Node, length = 0) => {
  const content = Buffer.alloc(length)
  node.content.copy(content)
  node.content = content
  changed(node)
}

const msOf = (time: Fs.TimeLike) => (time instanceof Date ? time.getTime() : Number(time) * 1000)

export const chmodSync: typeof Fs.chmodSync = setOf(setMode, 'chmod')
export const fchmodSync: typeof Fs.fchmodSync = setOf(setMode, 'fchmod')
export const chownSync: typeof Fs.chownSync = setOf(setOwner, 'chown')
export const lchownSync: typeof Fs.lchownSync = setOf(setOwner, 'lchown', false)
export const fchownSync: typeof Fs.fchownSync = setOf(setOwner, 'fchown')
export const utimesSync: typeof Fs.utimesSync = setOf(setTimes, 'utime')
export const lutimesSync: typeof Fs.lutimesSync = setOf(setTimes, 'lutime', false)
export const truncateSync: typeof Fs.truncateSync = setOf(setLength, 'truncate')
export const ftruncateSync: typeof Fs.ftruncateSync = setOf(setLength, 'ftruncate')

/** All that is written is on this disk. */
export function fsyncSync(file: number): void {
  openOf(file, 'fsync')
}

export const fdatasyncSync: typeof Fs.fdatasyncSync = fsyncSync

/** What is asked of an entry or of what is known of a file. */
class Entry {
  readonly name: string
  readonly parentPath: string
  readonly #kind: Node['kind']

  constructor(kind: Node['kind'], name = '', parentPath = '') {
    this.#kind = kind
    this.name = name
    this.parentPath = parentPath
  }

  isFile(): boolean {
    return this.#kind === 'file'
  }

  isDirectory(): boolean {
    return this.#kind === 'folder'
  }

  isSymbolicLink(): boolean {
    return this.#kind === 'link'
  }
}

const typeBits = { file: constants.S_IFREG, folder: constants.S_IFDIR, link: constants.S_IFLNK }

class StatsOf extends Entry {
  readonly dev = 1
  readonly ino: number
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly size: number
  readonly mtimeMs: number
  readonly atimeMs: number
  readonly #change: number

  constructor({ kind, number, mode, names, uid, gid, content, target, modified, accessed, change }: Node) {
    super(kind)
    this.ino = number
    this.mode = typeBits[kind] | mode
    this.nlink = names
    this.uid = uid
    this.gid = gid
    this.size = kind === 'link' ? target.length : content.length
    this.mtimeMs = modified
    this.atimeMs = accessed
    this.#change = change
  }

  get mtime(): Date {
    return new Date(this.mtimeMs)
  }

  get atime(): Date {
    return new Date(this.atimeMs)
  }

  get mtimeNs(): bigint {
    return BigInt(Math.trunc(this.mtimeMs)) * 1_000_000n
  }

  get ctimeNs(): bigint {
    return BigInt(this.#change)
  }
}

const statsOf = (node: Node) => new StatsOf(node) as unknown as Fs.Stats

function statusOf(call: string, follows: boolean) {
  return (path: Fs.PathLike, { throwIfNoEntry = true }: Fs.StatSyncOptions = {}): Fs.Stats | undefined => {
    const node = lookUp(String(path), call, follows)?.node
    if (!node && throwIfNoEntry) throw failure('ENOENT', call, String(path))
    return node && statsOf(node)
  }
}

export const statSync = statusOf('stat', true) as typeof Fs.statSync
export const lstatSync = statusOf('lstat', false) as typeof Fs.lstatSync
export const fstatSync = ((file: number) => statsOf(openOf(file, 'fstat').node)) as typeof Fs.fstatSync

export const readdirSync = ((
  path: Fs.PathLike,
  options: { withFileTypes?: boolean; recursive?: boolean; encoding?: string } | string | null = {},
): (string | Buffer)[] | Entry[] => {
  const text = String(path)
  const { withFileTypes = false, recursive = false } = typeof options === 'object' ? (options ?? {}) : {}
  const folder = find(text, 'scandir')
  if (folder.kind !== 'folder') throw failure('ENOTDIR', 'scandir', text)
  const all = [...entriesOf(folder, text, recursive)]
  if (withFileTypes) return all
  return all.map(({ name, parentPath }) => inEncoding(`${parentPath}/${name}`.slice(text.length + 1), options))
}) as unknown as typeof Fs.readdirSync

/** In the order of their names. */
function* entriesOf({ entries }: Node, path: string, isRecursive: boolean): Generator<Entry> {
  for (const name of [...entries.keys()].toSorted()) {
    const node = entries.get(name) as Node
    yield new Entry(node.kind, name, path)
    if (isRecursive && node.kind === 'folder') yield* entriesOf(node, `${path}/${name}`, true)
  }
}

export const statfsSync = ((path: Fs.PathLike): Partial<Fs.StatsFs> => {
  find(String(path), 'statfs')
  return { bsize: blockBytes, blocks, bfree: blocks / 2, bavail: blocks / 2, files: blocks, ffree: blocks / 2 }
}) as unknown as typeof Fs.statfsSync
