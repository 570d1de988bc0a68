import { expect, it } from 'vitest'
import { contentDisposition, fileNameOf } from './content-disposition.js'

it.each([
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['\u2066a\u2069\u200f\u061c.pdf', 'a.pdf'],
  ['Rechnung ü 🙂.pdf', 'Rechnung ü 🙂.pdf'],
])('contentDisposition() of %j names %j: nothing turns the direction of the text round', (name, shown) => {
  expect(fileNameOf(contentDisposition('attachment', name))).toBe(shown)
})

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

it.each([
  [latin1('attachment; filename="Größe 🙂.txt"'), 'Größe 🙂.txt'],
  [latin1('attachment; filename=Größe.txt'), 'Größe.txt'],
  ['attachment; filename="Gr\xf6\xdfe.txt"', 'Größe.txt'],
  [`${latin1('attachment; filename="ä.txt"')}; filename*=UTF-8''%C3%B6.txt`, 'ö.txt'],
  ["attachment; filename*=UTF-8''%C3%83%C2%B6.txt", 'Ã¶.txt'],
])('fileNameOf() of %j is %j: bytes that are UTF-8 are read as such', (header, name) => {
  expect(fileNameOf(header)).toBe(name)
})
