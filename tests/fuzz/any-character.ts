import * as fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any character but halves of surrogate pairs: the same as `unit: 'binary'` of fast-check, which first fills a table of
 * a million characters in every process.
 */
export const anyCharacter = fc
  .nat(0x10ffff - surrogates)
  .map((place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogates), placeOf)

function placeOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined
  if (code === undefined || value !== String.fromCodePoint(code) || (code >= firstSurrogate && code < 0xe000))
    throw new Error('This is not one character.')
  return code < firstSurrogate ? code : code - surrogates
}
