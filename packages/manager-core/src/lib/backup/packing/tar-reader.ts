import { nameOf } from '../../files/file-names.ts'

/** What is looked at of an entry. Names are those of `nameOf`. */
export interface TarEntry {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink' | 'link'
  /** Target of a link. */
  readonly linkname?: string
  readonly mode?: number
}

export interface TarReader {
  /** Takes the next bytes; it keeps none of them. */
  write(piece: Uint8Array): void
  /** All has come. */
  end(): void
  /** Whether the entries are complete: only zeros may follow. */
  isComplete(): boolean
}

const blockSize = 512
/** Names and pax records are kept in memory. Not specified; chosen: far longer than a path can be. */
const maxExtraBytes = 1 << 16
/** From here on a header of 11 octal digits cannot hold the size of a file. */
const largeSize = 8 ** 11

const types: Readonly<Record<string, TarEntry['type']>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
}
const extras: ReadonlySet<string> = new Set(['x', 'L', 'K'])
/** What says more about one entry. Whatever else there is may change how its bytes are read. */
const paxKeys: ReadonlySet<string> = new Set([
  'path',
  'linkpath',
  'size',
  'mtime',
  'atime',
  'ctime',
  'uid',
  'gid',
  'uname',
  'gname',
  'comment',
])

interface Header {
  readonly name: string
  readonly linkname: string
  readonly type: string
  readonly mode: number
  readonly size: number
}

/** From headers of their own, for the entry that follows. */
interface Extra {
  readonly pax?: ReadonlyMap<string, string>
  readonly name?: string
  readonly linkname?: string
}

/**
 * Reads a tar as strictly as needed for each program to find the same entries in it as this reader: only files, folders,
 * links and what names them, in the posix and the GNU format, with nothing hidden between or after them. Keeps no data.
 *
 * @param onEntry what it throws is thrown
 * @throws Error saying what is wrong
 */
export function createTarReader(onEntry: (entry: TarEntry) => void): TarReader {
  const block = Buffer.alloc(blockSize)
  let filled = 0
  /** Bytes of data, and of what pads it, that are still to come. */
  let left = 0
  /** Collects the data of an extra header. */
  let body: { readonly header: Header; readonly bytes: Buffer; at: number } | undefined
  let extra: Extra = {}
  let zeros = 0

  function write(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      if (left > 0) {
        const count = Math.min(left, piece.length - at)
        if (body) takeBody(body, piece.subarray(at, at + count))
        left -= count
        at += count
        if (left === 0 && body) closeBody(body)
      } else {
        const count = Math.min(blockSize - filled, piece.length - at)
        block.set(piece.subarray(at, at + count), filled)
        filled += count
        at += count
        if (filled === blockSize) takeBlock()
      }
    }
  }

  function takeBlock(): void {
    filled = 0
    if (isZero(block)) zeros++
    else if (zeros > 0) throw new Error('something follows the end of the archive')
    else takeHeader(readHeader(block))
  }

  function takeHeader(header: Header): void {
    if (extras.has(header.type)) {
      if (header.size === 0 || header.size > maxExtraBytes)
        throw new Error(`a header of type "${header.type}" has ${header.size} bytes`)
      body = { header, bytes: Buffer.alloc(header.size), at: 0 }
      left = padded(header.size)
      return
    }
    const { pax, ...named } = extra
    extra = {}
    const name = pax?.get('path') ?? named.name ?? header.name
    const linkname = pax?.get('linkpath') ?? named.linkname ?? header.linkname
    const type = types[header.type]
    const shown = JSON.stringify(name)
    const size = sizeOf(header, pax, shown)
    if (size > 0 && type !== 'file') throw new Error(`${shown} is a ${type} with ${size} bytes of data`)
    // Some programs take it for a folder.
    if (type === 'file' && name.endsWith('/')) throw new Error(`${shown} is a file with the name of a folder`)
    if (type === 'directory' || type === 'file') onEntry({ name, type, mode: header.mode })
    else onEntry({ name, type, mode: header.mode, linkname })
    left = padded(size)
  }

  function takeBody(to: NonNullable<typeof body>, piece: Uint8Array): void {
    const count = Math.min(piece.length, to.bytes.length - to.at)
    to.bytes.set(piece.subarray(0, count), to.at)
    to.at += count
    if (!isZero(piece.subarray(count))) throw new Error('the padding of a header is not empty')
  }

  function closeBody({ header: { type }, bytes }: NonNullable<typeof body>): void {
    body = undefined
    const key = ({ x: 'pax', L: 'name', K: 'linkname' } as const)[type as 'x' | 'L' | 'K']
    const isMixed = Object.keys(extra).length > 0 && (key === 'pax' || extra.pax !== undefined)
    if (extra[key] !== undefined || isMixed) throw new Error('an entry has several headers that say the same')
    extra = { ...extra, [key]: key === 'pax' ? readPax(bytes) : readLongName(bytes) }
  }

  function end(): void {
    if (left > 0 || filled > 0 || zeros < 2) throw new Error('the archive is incomplete')
    if (Object.keys(extra).length > 0) throw new Error('a header has no entry')
  }

  return { write, end, isComplete: () => zeros >= 2 }
}

function padded(size: number): number {
  return Math.ceil(size / blockSize) * blockSize
}

function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false
  return true
}

/** @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06 */
function readHeader(block: Buffer): Header {
  let sum = 8 * 0x20
  for (let at = 0; at < blockSize; at++) if (at < 148 || at >= 156) sum += block[at] as number
  if (octal(block, 148, 8, 'checksum') !== sum) throw new Error('a header has another checksum')
  const magic = block.toString('latin1', 257, 265)
  const isGnu = magic === 'ustar  \0'
  if (!isGnu && magic !== 'ustar\x0000') throw new Error('a header is in an unknown format')
  const type = block.toString('latin1', 156, 157)
  const name = text(block, 0, 100)
  if (types[type] === undefined && !extras.has(type))
    throw new Error(`${JSON.stringify(name)} has the type ${JSON.stringify(type)}, not that of a file, folder or link`)
  // In the GNU format it holds other things, among them parts of sparse files.
  if (!isZero(block.subarray(isGnu ? 345 : 500))) throw new Error('a header has fields that backups do not have')
  const prefix = text(block, 345, 155)
  return {
    name: (prefix === '' ? '' : `${prefix}/`) + name,
    linkname: text(block, 157, 100),
    type,
    mode: octal(block, 100, 8, 'mode'),
    size: octal(block, 124, 12, 'size'),
  }
}

/** Padded with zeros. */
function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  if (end === -1) return nameOf(field)
  if (!isZero(field.subarray(end))) throw new Error('a header has something after a name')
  return nameOf(field.subarray(0, end))
}

function octal(block: Buffer, at: number, length: number, what: string): number {
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(block.toString('latin1', at, at + length)) ?? []
  if (digits === undefined) throw new Error(`a header has a ${what} that is not a number`)
  return Number.parseInt(digits, 8)
}

/** Programs differ in which one they believe, so that both must say the same. */
function sizeOf({ size }: Header, pax: Extra['pax'], shown: string): number {
  const given = pax?.get('size')
  if (given === undefined) return size
  const large = Number(given)
  if (!/^(?:0|[1-9]\d*)$/.test(given) || !Number.isSafeInteger(large) || (large < largeSize && large !== size))
    throw new Error(`${shown} has two sizes`)
  return large
}

/** `<length> <key>=<value>\n`, one after the other; the length is that of all of it, in bytes. */
function readPax(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const [digits = '', count] = /^([1-9]\d{0,5}) /.exec(bytes.toString('latin1', at, at + 7)) ?? []
    const record = bytes.subarray(at + digits.length, at + Number(count ?? 0))
    const [, key = '', value = ''] = /^([^=]+)=([^]*)\n$/.exec(nameOf(record)) ?? []
    if (key === '' || at + Number(count) > bytes.length) throw new Error('a pax header is not well formed')
    if (!paxKeys.has(key)) throw new Error(`a pax header has ${JSON.stringify(key)}, which backups do not have`)
    if (records.has(key) || value === '' || value.includes('\0'))
      throw new Error(`a pax header has a wrong ${JSON.stringify(key)}`)
    records.set(key, value)
    at += Number(count)
  }
  return records
}

function readLongName(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  if (end < 1 || end !== bytes.length - 1) throw new Error('a long name is not well formed')
  return nameOf(bytes.subarray(0, end))
}
