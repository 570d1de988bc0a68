import type { PublicationFormat } from './publication.js'

/** Where in a template a value stands: in running text, in the quotes of an attribute or string, where a link starts, or as a JSON value. */
export type TemplatePlace = 'text' | 'quoted' | 'url' | 'value'

/** Reads the fixed text of a template in its order, and reports the place of each value between. */
export interface Scanner {
  text(text: string): void
  /** @throws Error for a place where a value could change the document; the message completes `A value `. */
  place(): TemplatePlace
  /** The kind of place where the text is now; a block must leave it as it was, since it may be left out or repeated. */
  kind(): string
  /** Gives a function that goes back to here: what follows a block may follow what was before it. */
  mark(): () => void
}

export function createScanner(format: PublicationFormat): Scanner {
  switch (format) {
    case 'html':
    case 'xml':
      return markupScanner(format === 'html')
    case 'md':
      return markdownScanner()
    case 'json':
    case 'pdf':
      return jsonScanner()
    case 'csv':
      return csvScanner()
    default:
      return { text: () => {}, place: () => 'text', kind: () => '', mark: () => () => {} }
  }
}

const urlAttributes = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'poster',
  'data',
  'cite',
  'background',
  'xlink:href',
])

/** HTML and XML: text, tags, quoted attributes; the rest is not a place for values. */
function markupScanner(html: boolean): Scanner {
  let state: 'text' | 'tag' | 'value' | 'skip' = 'text'
  let tag = ''
  let quote = ''
  let attribute = ''
  let valueIsEmpty = false
  /** What ends a comment, a script, a processing instruction … */
  let end = ''
  let pending = ''
  return { text, place, kind, mark }

  function kind(): string {
    if (state === 'value') return `value of ${attribute} in ${quote}`
    return state === 'skip' ? `skip to ${end}` : state
  }

  function mark(): () => void {
    const before = { state, tag, quote, attribute, valueIsEmpty, end, pending }
    return () => ({ state, tag, quote, attribute, valueIsEmpty, end, pending } = before)
  }

  function text(part: string): void {
    for (const character of part) step(character)
  }

  function step(character: string): void {
    pending = (pending + character).slice(-10)
    if (state === 'text') {
      if (character === '<') begin('tag')
    } else if (state === 'value') {
      if (character === quote) begin('tag', tag)
      else valueIsEmpty = false
    } else if (state === 'skip') {
      if (pending.toLowerCase().endsWith(end)) begin(end.startsWith('</') ? 'tag' : 'text')
    } else if (character === '>') endTag()
    else if (character === '"' || character === "'") beginValue(character)
    else {
      tag += character
      if (tag === '!--') skip('-->')
      else if (tag === '![CDATA[') skip(']]>')
      else if (tag === '?') skip('?>')
    }
  }

  function begin(next: typeof state, name = ''): void {
    state = next
    tag = name
    pending = ''
  }

  function skip(until: string): void {
    begin('skip')
    end = until
  }

  function beginValue(character: string): void {
    attribute = /([^\s=/]+)\s*=\s*$/.exec(tag)?.[1]?.toLowerCase() ?? ''
    tag += '""'
    state = 'value'
    quote = character
    valueIsEmpty = true
  }

  function endTag(): void {
    const raw = html ? /^(script|style)(?:[\s/]|$)/i.exec(tag)?.[1] : undefined
    if (raw && !tag.endsWith('/')) skip(`</${raw.toLowerCase()}`)
    else begin('text')
  }

  function place(): TemplatePlace {
    if (state === 'text') return 'text'
    if (state !== 'value' || attribute === '')
      throw new Error(
        'stands in running text or in the quotes of an attribute only, not in tags, comments, scripts and styles',
      )
    if (html && (attribute.startsWith('on') || attribute === 'style' || attribute.startsWith('srcdoc')))
      throw new Error(`cannot stand in the attribute "${attribute}", whose text is code`)
    const begins = valueIsEmpty
    valueIsEmpty = false
    return html && begins && urlAttributes.has(attribute) ? 'url' : 'quoted'
  }
}

/** Markdown: the places of HTML's running text; what starts the address of a link is one. */
function markdownScanner(): Scanner {
  const markup = markupScanner(true)
  let line = ''
  return {
    text(part) {
      markup.text(part)
      line = (line + part).slice((line + part).lastIndexOf('\n') + 1)
    },
    place() {
      if (markup.place() !== 'text') throw new Error('stands in running text only, not in the tags of HTML')
      const begins = /\]\(\s*<?$/.test(line) || /^\s*\[[^\]]*\]:\s*<?$/.test(line)
      line += 'x'
      return begins ? 'url' : 'text'
    },
    kind: markup.kind,
    mark() {
      const back = markup.mark()
      const before = line
      return () => {
        back()
        line = before
      }
    },
  }
}

/** JSON: in strings, or as whole values made by the helper `json`. */
function jsonScanner(): Scanner {
  let inString = false
  let escaped = false
  return {
    text(part) {
      for (const character of part) {
        if (escaped) escaped = false
        else if (inString && character === '\\') escaped = true
        else if (character === '"') inString = !inString
      }
    },
    place: () => (inString ? 'quoted' : 'value'),
    kind: () => (inString ? 'string' : 'value'),
    mark() {
      const before = inString
      return () => {
        inString = before
      }
    },
  }
}

/** CSV: a value is a whole cell, which is quoted when it has to be. */
function csvScanner(): Scanner {
  let before = '\n'
  let quoted = false
  let afterValue = false
  const whole = 'must be a whole cell, without quotes or other text around it'
  return {
    text(part) {
      if (part === '') return
      if (afterValue && !/^[,;\t\r\n]/.test(part)) throw new Error(whole)
      afterValue = false
      if ((part.split('"').length - 1) % 2 === 1) quoted = !quoted
      before = part.at(-1) as string
    },
    place() {
      if (quoted || afterValue || !/[,;\t\r\n]/.test(before)) throw new Error(whole)
      afterValue = true
      return 'text'
    },
    kind: () => (quoted ? 'quoted' : 'cells'),
    mark() {
      const state = { before, quoted, afterValue }
      return () => ({ before, quoted, afterValue } = state)
    },
  }
}
