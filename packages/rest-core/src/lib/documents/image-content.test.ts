import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { Problem } from '../fields/field-type.js'
import { imageMediaType } from './image-content.js'

const any = { type: 'image' } as const
const red = sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })
const text = (content: string): Buffer => Buffer.from(content)

/** 1 × 1 pixel. */
const bmp = Buffer.from(
  '424d3a0000000000000036000000280000000100000001000000010018000000000004000000000000000000000000000000000000000000ff00',
  'hex',
)

describe('imageMediaType()', () => {
  for (const [name, type, content] of [
    ['PNG', 'image/png', red.clone().png().toBuffer()],
    ['JPEG', 'image/jpeg', red.clone().jpeg().toBuffer()],
    ['GIF', 'image/gif', red.clone().gif().toBuffer()],
    ['WebP', 'image/webp', red.clone().webp().toBuffer()],
    ['AVIF', 'image/avif', red.clone().avif().toBuffer()],
    ['TIFF', 'image/tiff', red.clone().tiff().toBuffer()],
    ['BMP', 'image/bmp', bmp],
    ['SVG', 'image/svg+xml', text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [
      'SVG with a declaration, comments and entities',
      'image/svg+xml',
      text('\uFEFF<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b">] >\n<svg>é'),
    ],
  ] as const) {
    it(`imageMediaType() recognises ${name} by its content`, async () => {
      expect(imageMediaType(await content, any)).toBe(type)
    })
  }

  for (const [found, content] of [
    ['text', text('hello')],
    ['an empty file', text('')],
    ['HTML', text('<!DOCTYPE html><svg></svg>')],
    ['XML', text('<?xml version="1.0"?><note/>')],
    ['a PDF document', text('%PDF-1.7')],
    ['a ZIP archive or an office document', Buffer.from('PK\x03\x04\x14', 'latin1')],
    ['content that starts with the bytes 00010203', Buffer.from([0, 1, 2, 3, 4])],
    // A text of two letters is not a bitmap.
    ['text', text('BMW is a make of cars and motorcycles')],
  ] as const) {
    it(`refuses ${found}`, () => {
      expect(imageMediaType(content, any)).toEqual(
        new Problem('ERR_TYPE', `must contain a picture (png, jpeg, gif, webp, avif, bmp, tiff, svg), not ${found}`),
      )
    })
  }

  it('takes the kinds that the definition names, and no others', async () => {
    const field = { ...any, mediaTypes: ['image/jpeg', 'image/png'] } as const
    expect(imageMediaType(await red.clone().png().toBuffer(), field)).toBe('image/png')
    expect(imageMediaType(text('<svg/>'), field)).toMatchObject({
      text: 'must contain a picture (jpeg, png), not image/svg+xml',
    })
  })
})
