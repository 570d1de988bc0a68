import { expect, it } from 'vitest'
import { contentDisposition, fileNameOf } from './content-disposition.js'

it.each([
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['\u2066a\u2069\u200f\u061c.pdf', 'a.pdf'],
  ['Rechnung ü 🙂.pdf', 'Rechnung ü 🙂.pdf'],
])('contentDisposition() of %j names %j: nothing turns the direction of the text round', (name, shown) => {
  expect(fileNameOf(contentDisposition('attachment', name))).toBe(shown)
})
