import { machine } from './machine.js'

/** A file, folder or link of the simulated disk. Its content is replaced, never changed: a caller may keep it. */
export interface Node {
  readonly kind: 'file' | 'folder' | 'link'
  readonly number: number
  mode: number
  uid: number
  gid: number
  /** How many names it has. */
  names: number
  accessed: number
  /** ms since the Unix epoch */
  modified: number
  /** Counts changes of the disk, so that two within one ms differ. */
  change: number
  content: Buffer
  readonly entries: Map<string, Node>
  target: string
}

/** A file that a process has open. */
export interface Open {
  readonly node: Node
  readonly appends: boolean
  /** Where it reads and writes next. */
  at: number
}

const errors: Readonly<Record<string, readonly [number: number, text: string]>> = {
  ENOENT: [-2, 'no such file or directory'],
  EBADF: [-9, 'bad file descriptor'],
  EEXIST: [-17, 'file already exists'],
  ENOTDIR: [-20, 'not a directory'],
  EISDIR: [-21, 'illegal operation on a directory'],
  EINVAL: [-22, 'invalid argument'],
  ENOTEMPTY: [-39, 'directory not empty'],
  ELOOP: [-40, 'too many symbolic links encountered'],
}

/** An error of the file system, as Node words it. */
export function failure(code: string, call: string, path: string, other?: string): NodeJS.ErrnoException {
  const [errno, text] = errors[code] ?? [-1, 'operation not permitted']
  const to = other === undefined ? '' : ` -> '${other}'`
  return Object.assign(new Error(`${code}: ${text}, ${call} '${path}'${to}`), { errno, code, syscall: call, path })
}

/** Where the home is, and all else that the manager writes. What is elsewhere on this machine is only read. */
export const simulatedRoot = '/simulated'
export const temporaryFolder = `${simulatedRoot}/tmp`

const nothing = Buffer.alloc(0)

let numbers = 0
let changes = 0
let root = newRoot()
const files = new Map<number, Open>()
/** Higher than those of the files which this process has open itself. */
let nextFile = 1_000_000

/** The disk as it was at a moment. */
export type DiskImage = Node

/** Changes of the disk leave it alone. */
export function imageOfDisk(): DiskImage {
  return copyOf(root)
}

/** The disk becomes what it was; an image may be used many times. @param image undefined: an empty disk */
export function replaceDisk(image?: DiskImage): void {
  root = image ? copyOf(image) : newRoot()
  files.clear()
}

function newRoot(): Node {
  const [made, outermost, temporary] = [
    makeNode('folder', 0o755, 0),
    makeNode('folder', 0o755, 0),
    makeNode('folder', 0o777, 0),
  ]
  made.entries.set(simulatedRoot.slice(1), outermost)
  outermost.entries.set(temporaryFolder.slice(simulatedRoot.length + 1), temporary)
  return made
}

/** Whether a path is of the simulated disk. */
export function isSimulated(path: string): boolean {
  if (path.startsWith(simulatedRoot)) return true
  const [, file] = /^\/proc\/self\/fd\/(\d+)/.exec(path) ?? []
  return file !== undefined && files.has(Number(file))
}

export function makeNode(kind: Node['kind'], mode: number, now = machine.state.now): Node {
  return {
    kind,
    number: ++numbers,
    mode,
    uid: 0,
    gid: 0,
    names: 1,
    accessed: now,
    modified: now,
    change: ++changes,
    content: nothing,
    entries: new Map(),
    target: '',
  }
}

function copyOf(node: Node, made = new Map<Node, Node>()): Node {
  const known = made.get(node)
  if (known) return known
  const entries = new Map<string, Node>()
  const copy = { ...node, entries }
  if (node.names > 1) made.set(node, copy)
  for (const [name, entry] of node.entries) entries.set(name, copyOf(entry, made))
  return copy
}

export function partsOf(path: string): string[] {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}

export interface Place {
  readonly folder: Node
  readonly name: string
  readonly node: Node | undefined
}

/**
 * Where a path leads to. Links on the way are followed; the last one, when it should be.
 *
 * @returns undefined: there is no such folder
 */
export function lookUp(path: string, call: string, follows = true, links = 0): Place | undefined {
  if (!path.startsWith('/')) throw failure('ENOENT', call, path)
  const parts = partsOf(path)
  let folder = root
  // Open folders have a path as well.
  if (parts[0] === 'proc' && parts[1] === 'self' && parts[2] === 'fd') {
    const open = files.get(Number(parts[3]))
    if (!open) return undefined
    folder = open.node
    parts.splice(0, 4)
  }
  if (parts.length === 0) return { folder, name: '', node: folder }
  for (const [at, name] of parts.entries()) {
    const node = folder.entries.get(name)
    const isLast = at === parts.length - 1
    if (node?.kind === 'link' && (follows || !isLast)) {
      if (links === 40) throw failure('ELOOP', call, path)
      const start = node.target.startsWith('/') ? node.target : `/${parts.slice(0, at).join('/')}/${node.target}`
      return lookUp(`${start}/${parts.slice(at + 1).join('/')}`, call, follows, links + 1)
    }
    if (isLast) return { folder, name, node }
    if (!node) return undefined
    if (node.kind !== 'folder') throw failure('ENOTDIR', call, path)
    folder = node
  }
  return undefined
}

export function find(path: string, call: string, follows = true): Node {
  const node = lookUp(path, call, follows)?.node
  if (!node) throw failure('ENOENT', call, path)
  return node
}

/** Where something new may be. */
export function placeOf(path: string, call: string, follows = true): Place {
  const place = lookUp(path, call, follows)
  if (!place) throw failure('ENOENT', call, path)
  return place
}

export function openOf(file: number, call: string): Open {
  const open = files.get(file)
  if (!open) throw failure('EBADF', call, String(file))
  return open
}

/** Its content is another one. */
export function changed(node: Node): void {
  node.modified = machine.state.now
  node.change = ++changes
}

export function put({ folder, name }: Place, node: Node): Node {
  folder.entries.set(name, node)
  changed(folder)
  return node
}

export function take({ folder, name, node }: Place): void {
  folder.entries.delete(name)
  changed(folder)
  if (node) node.names--
}

/** What is known of it is something else. */
export function touch(node: Node): void {
  node.change = ++changes
}

export function openNode(node: Node, appends: boolean): number {
  files.set(nextFile, { node, appends, at: 0 })
  return nextFile++
}

export function closeFile(file: number): void {
  openOf(file, 'close')
  files.delete(file)
}
