import type { PathLike } from 'node:fs'

/**
 * Names of files are bytes on Linux. Here they are strings: bytes that are not UTF-8 are lone surrogates in them, U+DC80 to
 * U+DCFF, so that no two names are the same string. Source: https://peps.python.org/pep-0383/
 */
export function nameOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const name = text.toString('utf8')
  if (!name.includes('\uFFFD')) return name
  let exact = ''
  for (let at = 0; at < text.length;) {
    const length = lengthOfCharacter(text, at)
    exact += length === 0 ? String.fromCharCode(0xdc00 + (text[at] as number)) : text.toString('utf8', at, at + length)
    at += length || 1
  }
  return exact
}

/** What is a name, or a path of names, for the file system. */
export function pathFor(name: string): PathLike & (string | Buffer) {
  return name.isWellFormed() ? name : bytesOf(name)
}

/** The bytes of a name. */
export function bytesOf(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name)
  const parts = Array.from(name, (character) => {
    const code = character.charCodeAt(0)
    return character.length === 1 && code >= 0xdc80 && code <= 0xdcff
      ? Buffer.of(code - 0xdc00)
      : Buffer.from(character)
  })
  return Buffer.concat(parts)
}

/** Bytes of the character of UTF-8 that starts there; 0: none does. */
function lengthOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at] as number
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length < 2) return length
  const character = bytes.subarray(at, at + length)
  return Buffer.from(character.toString('utf8')).equals(character) ? length : 0
}
