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

/** The file name in a value of `Content-Disposition`; `undefined` when it has none that can be read. */
export function fileNameOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : parse(header).parameters['filename']
}
