import { afterEach, expect, it, vi } from 'vitest'
import { createModel } from '../model/create-model.js'
import type { IndexModel } from '../model/model.js'
import { eachWord } from './index-words.js'
import { recordWords } from './record-words.js'

const index = createModel([
  { name: 'Note', fields: { a: { type: 'text' }, b: { type: 'html' }, c: { type: 'text' } }, indexable: true },
]).object('Note').index as IndexModel

afterEach(() => vi.restoreAllMocks())

/** Characters that are given to `normalize`, and those that it makes of them. */
function countNormalised(): { readonly given: number; readonly made: number } {
  const count = { given: 0, made: 0 }
  const { normalize } = String.prototype
  vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form?: string) {
    const made = normalize.call(this, form)
    count.given += this.length
    count.made += made.length
    return made
  })
  return count
}

it.each([
  ['U+FDFA', '\uFDFA', 766],
  ['Han', '漢', 255],
  ['different words', Array.from({ length: 70_000 }, (_, n) => `é${n} `).join(''), 16_000],
  ['dots', '…', 0],
])('recordWords() of megabytes of %s normalises no more than what it indexes', (_name, text, words) => {
  const count = countNormalised()
  const huge = text.repeat(Math.ceil(3_000_000 / text.length))
  const found = recordWords(index, { a: huge, b: huge, c: huge })
  expect(found === '' ? 0 : found.split(' ').length).toBe(words)
  expect(count.given).toBeLessThanOrEqual(256 * 1024)
  expect(count.made).toBeLessThanOrEqual(800_000)
})

it('recordWords() takes the first characters of each field, without splitting one of two code units', () => {
  const filler = ' '.repeat(128 * 1024 - 7)
  expect(recordWords(index, { a: `${filler}first \u{10330}`, b: '<p>second</p>', c: `third  ${filler}lost` })).toBe(
    'first second third',
  )
  expect(recordWords(index, { a: '', b: `${'<br>'.repeat(65_000)}shown`, c: '' })).toBe('shown')
  expect(recordWords(index, { a: '', b: `${'<br>'.repeat(66_000)}lost`, c: '' })).toBe('')
})

it('recordWords() keeps a word 255 times', () => {
  expect(recordWords(index, { a: 'a b '.repeat(300), b: '', c: 'a c' }).split(' ')).toHaveLength(511)
})

it('eachWord() finds the same words wherever a step of normalisation ends', () => {
  for (let lead = 4085; lead <= 4097; lead++) {
    const text = `${'-'.repeat(lead)}Éxtra\u0301ord \u{10400}東京 ß`
    expect([...eachWord(text)], `${lead}`).toEqual(['extraord', '\u{10428}', '東', '京', 'ss'])
  }
  expect([...eachWord(`${'x'.repeat(9_000)} y`)]).toEqual(['x'.repeat(80), 'y'])
  expect([...eachWord('\u{10330}'.repeat(9_000))]).toEqual(['\u{10330}'.repeat(80)])
})
