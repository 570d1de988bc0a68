/** Characters kept of a word. Not specified; chosen because MySQL's full-text index keeps 84, and two of them mark a word. */
const longestWord = 80

/** Small letters that Unicode does not take apart, as people type them who do not have them on their keyboard. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ŧ: 't',
  ς: 'σ',
}
const specialLetters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

/** Scripts without blanks between words: each character is a word, and a word of several a phrase. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`
const anyWord = new RegExp(String.raw`[[${unspaced}]&&[\p{L}\p{N}]]|[[\p{L}\p{N}]--[${unspaced}]]+`, 'gv')
const asciiWord = /[a-z0-9]+/g
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\x00-\x7f]*$/

/**
 * The words of a text as they are indexed and searched: runs of letters and digits of any script, with single blanks
 * between. Case, accents and compatibility forms are dropped (`Émile` is `emile`, `Straße` is `strasse`, `①` is `1`),
 * and what follows the 80th character of a word. Empty when there is no word.
 */
export function indexWords(text: string): string {
  if (ascii.test(text)) return joined(text.toLowerCase().match(asciiWord))
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(specialLetters, (letter) => plainLetters[letter] as string)
  return joined(plain.match(anyWord))
}

function joined(words: readonly string[] | null): string {
  return words?.map(shortened).join(' ') ?? ''
}

function shortened(word: string): string {
  return word.length <= longestWord ? word : [...word].slice(0, longestWord).join('')
}
