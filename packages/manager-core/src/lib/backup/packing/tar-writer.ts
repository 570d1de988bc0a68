import { bytesOf } from '../../files/file-names.js'

/** An entry; owners are numbers. Names are those of `nameOf`, so that bytes that are not UTF-8 are kept. */
export interface TarHeader {
  /** That of a folder ends with `/`. */
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink'
  /** Bytes that follow, see `paddingOf`. */
  readonly size: number
  readonly mode: number
  readonly mtime: Date
  readonly uid?: number
  readonly gid?: number
  /** Target of a link. */
  readonly linkname?: string
}

const blockSize = 512
const types = { file: '0', symlink: '2', directory: '5' }

/** Ends an archive. */
export const endOfTar: Buffer = Buffer.alloc(2 * blockSize)

/**
 * The header of an entry in posix format, after one of its own for what does not fit into it.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */
export function tarHeader(entry: TarHeader): Buffer {
  const { name, type = 'file', size, mode, mtime, uid = 0, gid = 0, linkname = '' } = entry
  const seconds = Math.floor(mtime.getTime() / 1000)
  const pax = [
    ...textRecord('path', bytesOf(name), 100),
    ...textRecord('linkpath', bytesOf(linkname), 100),
    ...numberRecord('size', size, 11),
    ...numberRecord('mtime', seconds, 11),
    ...numberRecord('uid', uid, 7),
    ...numberRecord('gid', gid, 7),
  ]
  const values = { name: bytesOf(name), linkname: bytesOf(linkname), type: types[type], size, mode, seconds, uid, gid }
  const header = block(values)
  if (pax.length === 0) return header
  const body = Buffer.concat(pax)
  const extra = block({
    ...values,
    name: Buffer.from('pax'),
    linkname: Buffer.of(),
    type: 'x',
    size: body.length,
    mode: 0o644,
  })
  return Buffer.concat([extra, body, Buffer.alloc(paddingOf(body.length)), header])
}

/** How many zeros follow the content of an entry. */
export function paddingOf(size: number): number {
  return -size & (blockSize - 1)
}

interface Block {
  readonly name: Buffer
  readonly linkname: Buffer
  readonly type: string
  readonly size: number
  readonly mode: number
  readonly seconds: number
  readonly uid: number
  readonly gid: number
}

/** What does not fit is cut: a pax header says it. */
function block({ name, linkname, type, size, mode, seconds, uid, gid }: Block): Buffer {
  const bytes = Buffer.alloc(blockSize)
  const number = (value: number, at: number, digits: number) =>
    bytes.write(fits(value, digits) ? value.toString(8).padStart(digits, '0') : '0'.repeat(digits), at, 'latin1')
  name.copy(bytes, 0, 0, 100)
  number(mode & 0o7777, 100, 7)
  number(uid, 108, 7)
  number(gid, 116, 7)
  number(size, 124, 11)
  number(seconds, 136, 11)
  bytes.write(' '.repeat(8), 148, 'latin1')
  bytes.write(type, 156, 'latin1')
  linkname.copy(bytes, 157, 0, 100)
  bytes.write('ustar\x0000', 257, 'latin1')
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return bytes
}

function fits(value: number, digits: number): boolean {
  return value >= 0 && value < 8 ** digits
}

function textRecord(key: string, value: Buffer, most: number): Buffer[] {
  return value.length <= most ? [] : [paxRecord(key, value)]
}

function numberRecord(key: string, value: number, digits: number): Buffer[] {
  return fits(value, digits) ? [] : [paxRecord(key, Buffer.from(`${value}`))]
}

/** `<length> <key>=<value>\n`; the length is that of all of it, in bytes. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  let length = rest.length
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length
  return Buffer.concat([Buffer.from(`${length}`), rest])
}
