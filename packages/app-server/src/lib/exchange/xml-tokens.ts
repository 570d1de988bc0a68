import type { FilePlace } from './import-record.js'
import { fileError } from './import-record.js'

/** A piece of an XML file. Texts come in parts. */
export type XmlToken =
  | { readonly kind: 'open'; readonly name: string; readonly line: number; readonly isBase64: boolean }
  | { readonly kind: 'close'; readonly name: string; readonly line: number }
  | { readonly kind: 'text'; readonly text: string; readonly line: number }

const name = '[\\p{L}_][\\p{L}\\p{N}_.:-]*'
const startTag = new RegExp(`^(${name})((?:\\s+${name}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)$`, 'u')
const endTag = new RegExp(`^/(${name})\\s*$`, 'u')
const base64 = /\sencoding\s*=\s*["']base64["']/
const otherEncoding = /\sencoding\s*=\s*["'](?!utf-?8["'])([^"']*)["']/i

/** Not specified; chosen far above any tag. */
const longestTag = 10_000

/**
 * Reads the XML of import files piece by piece: elements, texts, CDATA, comments, the five predefined
 * entities and character references. Anything that could fetch or multiply something (DOCTYPE, other entities) is
 * refused. Why it is our own code: docs/decisions/019-xml-reader.md.
 *
 * @throws RestError ERR_BAD_REQUEST with line and column
 */
export async function* xmlTokens(
  texts: AsyncIterable<string>,
  file: string | undefined,
): AsyncGenerator<readonly XmlToken[]> {
  const open: string[] = []
  let inside: 'content' | 'cdata' | 'comment' = 'content'
  let isRootDone = false
  let rest = ''
  let line = 1
  let column = 1
  let tokens: XmlToken[] = []

  for await (const text of texts) {
    rest += text
    readPieces(false)
    if (tokens.length > 0) yield tokens
    tokens = []
  }
  readPieces(true)
  if (rest !== '' || inside !== 'content') throw refused('The file ends within a tag, a comment or CDATA.')
  if (tokens.length > 0) yield tokens
  if (open.length > 0) throw refused(`Element <${open.at(-1)}> is not closed.`)
  if (!isRootDone) throw refused('There is no element.')

  function readPieces(isEnd: boolean): void {
    let goesOn = true
    while (goesOn) goesOn = rest !== '' && readPiece(isEnd)
  }

  /** Takes one piece off `rest`; `false`: more is needed. */
  function readPiece(isEnd: boolean): boolean {
    if (inside === 'cdata') return readCdata()
    if (inside === 'comment') return skipComment()
    if (!rest.startsWith('<')) return readCharacters(isEnd)
    if (rest.length < 9 && !isEnd && /^<(?:!|\?)/.test(rest)) return false
    if (rest.startsWith('<!--')) return begin('comment', 4)
    if (rest.startsWith('<![CDATA[')) return begin('cdata', 9)
    if (rest.startsWith('<!')) throw refused('DOCTYPE and other declarations are not taken.')
    if (rest.startsWith('<?')) return readInstruction()
    return readTag()
  }

  function readCharacters(isEnd: boolean): boolean {
    const end = rest.indexOf('<')
    let length = end < 0 ? rest.length : end
    if (end < 0 && !isEnd) {
      // A reference or a line break may continue in the next chunk.
      const reference = rest.lastIndexOf('&')
      if (reference >= 0 && rest.length - reference < 12 && !rest.includes(';', reference)) length = reference
      else if (rest.endsWith('\r')) length--
      if (length === 0) return false
    }
    const text = rest.slice(0, length)
    if (open.length > 0) tokens.push({ kind: 'text', text: decode(text), line })
    else if (text.trim() !== '') throw refused(`Text outside of an element: "${text.trim().slice(0, 20)}".`)
    take(length)
    return true
  }

  function begin(what: 'cdata' | 'comment', length: number): boolean {
    if (what === 'cdata' && open.length === 0) throw refused('CDATA outside of an element.')
    inside = what
    take(length)
    return true
  }

  function readCdata(): boolean {
    const end = rest.indexOf(']]>')
    // What may be a part of "]]>" or of a line break waits for the next chunk.
    const length = end < 0 ? rest.replace(/\r?\]{0,2}$/, '').length : end
    if (length > 0) tokens.push({ kind: 'text', text: rest.slice(0, length).replace(/\r\n?/g, '\n'), line })
    take(end < 0 ? length : end + 3)
    if (end >= 0) inside = 'content'
    return end >= 0
  }

  function skipComment(): boolean {
    const end = rest.indexOf('-->')
    take(end < 0 ? Math.max(0, rest.length - 2) : end + 3)
    if (end >= 0) inside = 'content'
    return end >= 0
  }

  function readInstruction(): boolean {
    const end = rest.indexOf('?>')
    if (end < 0 && rest.length > longestTag) throw refused('An instruction has no end.')
    if (end < 0) return false
    const [, encoding] = (rest.startsWith('<?xml') && otherEncoding.exec(rest.slice(0, end))) || []
    if (encoding !== undefined) throw refused(`The encoding is ${encoding}; files must be UTF-8.`)
    take(end + 2)
    return true
  }

  function readTag(): boolean {
    const end = rest.indexOf('>')
    if (end < 0 || end > longestTag) {
      if (rest.length <= longestTag) return false
      throw refused('A tag has no end.')
    }
    const tag = rest.slice(1, end)
    const closing = endTag.exec(tag)?.[1]
    if (closing !== undefined) close(closing)
    else {
      const [, opening, attributes = '', isEmpty] = startTag.exec(tag) ?? []
      if (opening === undefined) throw refused(`<${tag.slice(0, 40)}> is no tag.`)
      if (open.length === 0 && isRootDone) throw refused('There is a second root element.')
      open.push(opening)
      tokens.push({ kind: 'open', name: opening, line, isBase64: base64.test(attributes) })
      if (isEmpty) close(opening)
    }
    take(end + 1)
    return true
  }

  function close(closing: string): void {
    const opened = open.pop()
    if (opened !== closing)
      throw refused(
        opened === undefined ? `</${closing}> closes nothing.` : `</${closing}> stands where </${opened}> should.`,
      )
    isRootDone ||= open.length === 0
    tokens.push({ kind: 'close', name: closing, line })
  }

  function take(length: number): void {
    const taken = rest.slice(0, length)
    for (let at = taken.indexOf('\n'); at >= 0; at = taken.indexOf('\n', at + 1)) {
      line++
      column = -at
    }
    column += length
    rest = rest.slice(length)
  }

  function decode(text: string): string {
    return text
      .replace(/\r\n?/g, '\n')
      .replace(/&([^;&]{0,12};)?/g, (_all, reference: string | undefined) => character(reference))
  }

  function character(reference = ''): string {
    const known = entities[reference]
    if (known !== undefined) return known
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(reference) ?? []
    const code = hex !== undefined ? Number.parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : Number.NaN
    if (code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff)) return String.fromCodePoint(code)
    throw refused(`"&${reference}" is not a character. Write &amp; for "&". Custom entities are not supported.`)
  }

  function refused(text: string): Error {
    const place: FilePlace = { file, line }
    return fileError(place, `column ${column}: ${text}`)
  }
}

const entities: Readonly<Record<string, string>> = {
  'lt;': '<',
  'gt;': '>',
  'amp;': '&',
  'quot;': '"',
  'apos;': "'",
}
