import { describe, expect, it } from 'vitest'
import { indexWords } from './index-words.js'

describe('indexWords()', () => {
  it.each([
    ['', ''],
    ['  \n -- !', ''],
    ['The  Quick, brown_fox-42', 'the quick brown fox 42'],
    ['Émile à la crème', 'emile a la creme'],
    ['e\u0301 = é', 'e e'],
    ['İSTANBUL ıstanbul', 'istanbul istanbul'],
    ['Straße Ærø Łódź Þór ĐĦŦ', 'strasse aero lodz thor dht'],
    ['ΛΌΓΟΣ λόγος', 'λογοσ λογοσ'],
    ['Ёлка', 'елка'],
    ['ﬁne ① ½ ＡＢ', 'fine 1 1 2 ab'],
    ['東京 2020年', '東 京 2020 年'],
    ['カナ', 'カ ナ'],
    ["C'era l’amour", 'c era l amour'],
    ['\u{10400}\u{1F600}a', '\u{10428} a'],
    ['😀', ''],
    ['٤٢', '٤٢'],
  ])('%j is %j', (text, words) => {
    expect(indexWords(text)).toBe(words)
  })

  it('keeps 80 characters of a word, and gives words that stay the same', () => {
    expect(indexWords('x'.repeat(81))).toBe('x'.repeat(80))
    expect(indexWords('\u{10330}'.repeat(90))).toBe('\u{10330}'.repeat(80))
    for (const text of ['Émile 東京 ßΣς ǅ ŉ ℌ K', 'कि हिन्दी', '한국어 ไทย', 'ﷺ ㎏ ⅷ'])
      expect(indexWords(indexWords(text)), text).toBe(indexWords(text))
  })
})
