/** Characters that turn the direction of text round, by which an ending looks like another one. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Value of `Content-Disposition` with a file name in any letters. Source: RFC 6266, section 4; RFC 8187, section 3.2. */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const fileName = name.replace(turning, '')
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === fileName) return `${type}; filename="${plain}"`
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(/[!'()*]/g, percent)
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

const extended = /;\s*filename\*\s*=\s*UTF-8'[^']*'([^;\s]*)/i
const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i
const token = /;\s*filename\s*=\s*([^";\s]+)/i

/** The file name in a value of `Content-Disposition`; `undefined` when it has none that can be read. */
export function fileNameOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const encoded = extended.exec(header)?.[1]
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return undefined
    }
  }
  return quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? token.exec(header)?.[1]
}
