import { isUtf8 } from 'node:buffer'
import { encodeExtended, parse } from 'content-disposition'

/** Characters that turn the direction of text round, by which an ending looks like another one. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Value of `Content-Disposition` with a file name in any letters. Source: RFC 6266, section 4; RFC 8187, section 3.2. */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const fileName = name.replace(turning, '')
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === fileName) return `${type}; filename="${plain}"`
  return `${type}; filename="${plain}"; filename*=${encodeExtended(fileName.toWellFormed())}`
}

/**
 * The file name in a value of `Content-Disposition`; `undefined` when it has none that can be read. Many programs send the
 * bytes of a UTF-8 name as they are, which Node reads as Latin-1, as RFC 6266 has it: they are UTF-8 where they can be.
 */
export function fileNameOf(header: string | undefined): string | undefined {
  const name = header === undefined ? undefined : parse(header).parameters['filename']
  if (name === undefined || !/[\x80-\xff]/.test(header ?? '') || /[\u0100-\uffff]/.test(name)) return name
  const bytes = Buffer.from(name, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : name
}
