import { expect, it } from 'vitest'
import { parseIndexText } from './parse-index-text.js'

it.each([
  ['Star  WARS', ['star', 'wars']],
  ['star wa*', ['star', 'wa*']],
  ['"Star Wars" é*', ['star wars', 'e*']],
  ['"star wa*"', ['star wa*']],
  ['well-known l’été', ['well known', 'l ete']],
  ['a"b c"d', ['a', 'b c', 'd']],
  ['"" - ok', ['ok']],
  ['東京*', ['東 京*']],
  ['( a ) OR +b', ['a', 'or', 'b']],
])('%s', (text, expected) => {
  expect(parseIndexText(text).map(({ words, prefix }) => words.join(' ') + (prefix ? '*' : ''))).toEqual(expected)
})
