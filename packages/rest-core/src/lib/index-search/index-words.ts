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
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\x00-\x7f]*$/

/** Characters of a text that are normalised in one step. */
const step = 4096

/**
 * The words of a text as they are indexed and searched: runs of letters and digits of any script, with single blanks
 * between. Case, accents and compatibility forms are dropped (`Émile` is `emile`, `Straße` is `strasse`, `①` is `1`),
 * and what follows the 80th character of a word. Empty when there is no word.
 */
export function indexWords(text: string): string {
  return [...eachWord(text)].join(' ')
}

/**
 * The same words one by one. A text is normalised in steps, as far as the caller goes, because normalisation makes up to
 * 18 characters of one.
 */
export function* eachWord(text: string): Generator<string, void> {
  // What the last step ended in may continue in the next one.
  let open = ''
  for (let start = 0; start < text.length;) {
    const end = wholeEnd(text, start + step)
    const part = open + plain(text.slice(start, end))
    open = ''
    for (const { 0: word, index } of part.matchAll(anyWord)) {
      const short = shortened(word)
      if (index + word.length === part.length) open = short
      else yield short
    }
    start = end
  }
  if (open !== '') yield open
}

/** The first `most` characters of a text, or one less where that would split a character of two code units. */
export function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, wholeEnd(text, most))
}

function wholeEnd(text: string, at: number): number {
  return at < text.length && (text.codePointAt(at - 1) as number) > 0xffff ? at - 1 : Math.min(at, text.length)
}

function plain(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(specialLetters, (letter) => plainLetters[letter] as string)
}

function shortened(word: string): string {
  return word.length <= longestWord ? word : [...word].slice(0, longestWord).join('')
}
