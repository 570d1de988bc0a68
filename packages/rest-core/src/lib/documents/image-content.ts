import type { ImageField } from '../definition/definition.js'
import { Problem } from '../fields/field-type.js'

/** Bytes at the start of a content that identify its type. Not specified; chosen so that the comments before an SVG's root fit. */
export const headBytes = 4096

type Test = (head: Buffer) => boolean

/** The content has these bytes (Latin-1) there. */
function has(bytes: string, at = 0): Test {
  return (head) => head.toString('latin1', at, at + bytes.length) === bytes
}

/** Pictures by media type. Sources: the formats' own specifications. */
const pictures: Readonly<Record<ImageMediaType, Test>> = {
  'image/png': has('\x89PNG\r\n\x1A\n'),
  'image/jpeg': has('\xFF\xD8\xFF'),
  'image/gif': (head) => has('GIF87a')(head) || has('GIF89a')(head),
  'image/webp': (head) => has('RIFF')(head) && has('WEBP', 8)(head),
  'image/avif': (head) => has('ftyp', 4)(head) && /^(?:avif|avis)/.test(brands(head)),
  'image/bmp': (head) => has('BM')(head) && head.length >= 26 && head.readUInt32LE(14) <= 124,
  'image/tiff': (head) => has('II*\0')(head) || has('MM\0*')(head),
  'image/svg+xml': isSvg,
}

/** What else is sent by mistake, for messages. */
const others: readonly (readonly [name: string, test: Test])[] = [
  ['a PDF document', has('%PDF-')],
  ['a ZIP archive or an office document', has('PK\x03\x04')],
  ['a compressed file (gzip)', has('\x1F\x8B')],
  ['a HEIC picture', (head) => has('ftyp', 4)(head) && /^(?:heic|heix|mif1|msf1)/.test(brands(head))],
  ['a video', (head) => has('ftyp', 4)(head) || has('\x1A\x45\xDF\xA3')(head)],
  ['an icon', has('\0\0\x01\0')],
  ['HTML', (head) => /^\s*<(?:!doctype html|html|head|body|script)\b/i.test(textOf(head))],
  ['XML', (head) => /^\s*<\?xml\b/.test(textOf(head))],
  ['text', (head) => !/(?!\s)[\p{Cc}\uFFFD]/u.test(textOf(head))],
]

type ImageMediaType = NonNullable<ImageField['mediaTypes']>[number]

/** Media types of the pictures that an image field takes. */
export function takenMediaTypes({ mediaTypes }: ImageField): readonly ImageMediaType[] {
  return mediaTypes ?? (Object.keys(pictures) as ImageMediaType[])
}

/** The media type of a picture that an image field takes, found by its content alone, or why it takes none. */
export function imageMediaType(content: Uint8Array, definition: ImageField): ImageMediaType | Problem {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, headBytes))
  const found = (Object.keys(pictures) as ImageMediaType[]).find((type) => pictures[type](head))
  const taken = takenMediaTypes(definition)
  if (found && taken.includes(found)) return found
  return new Problem(
    'ERR_TYPE',
    `must contain a picture (${taken.map(shortName).join(', ')}), not ${found ?? nameOf(head)}`,
  )
}

function nameOf(head: Buffer): string {
  if (head.length === 0) return 'an empty file'
  return (
    others.find(([, test]) => test(head))?.[0] ?? `content that starts with the bytes ${head.toString('hex', 0, 4)}`
  )
}

function shortName(type: string): string {
  return type.replace(/^image\//, '').replace(/\+.*/, '')
}

/** The brands of an ISO media file: the major one first. */
function brands(head: Buffer): string {
  return head.toString('latin1', 8, 12)
}

function isSvg(head: Buffer): boolean {
  return /^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE svg[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*<svg[\s>/]/.test(
    textOf(head),
  )
}

/** As UTF-8, without a byte order mark; a character that is cut off at the end is left out. */
function textOf(head: Buffer): string {
  return new TextDecoder().decode(head, { stream: true })
}
