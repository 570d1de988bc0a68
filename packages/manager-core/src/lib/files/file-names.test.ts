import { expect, it } from 'vitest'
import fc from 'fast-check'
import { bytesOf, nameOf } from './file-names.js'

it('nameOf() and bytesOf() keep every byte of a name, and what is UTF-8 as it reads', () => {
  expect(nameOf(Buffer.from('Größe 😀 \uFFFD'))).toBe('Größe 😀 \uFFFD')
  expect(nameOf(Buffer.from('Gr\xf6sse', 'latin1'))).toBe('Gr\uDCF6sse')
  // A surrogate and a name of two bytes too many are not UTF-8 either.
  expect(nameOf(Buffer.of(0xed, 0xb2, 0x80))).toBe('\uDCED\uDCB2\uDC80')
  expect(nameOf(Buffer.of(0xc1, 0x81))).toBe('\uDCC1\uDC81')
  const characters = fc.constantFrom(
    0x2f,
    0x41,
    0x80,
    0xc3,
    0xb6,
    0xe2,
    0x82,
    0xac,
    0xed,
    0xa0,
    0xef,
    0xbf,
    0xbd,
    0xf0,
    0x9f,
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(characters, fc.nat(255))), (codes) => {
      const bytes = Buffer.from(codes)
      expect(bytesOf(nameOf(bytes)).equals(bytes)).toBe(true)
    }),
  )
})
