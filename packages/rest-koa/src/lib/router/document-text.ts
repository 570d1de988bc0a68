import { Readable } from 'node:stream'
import { stringify } from 'yaml'

/** How deep members of documents are put together one by one: paths with their methods, schemas. */
const depth = 3

/** Bytes that are given to a client at once, at least. */
const pieceLength = 65_536

interface Form {
  readonly start: string
  readonly end: string
  readonly between: string
  /** A member with all that is in it. */
  member(name: string, value: unknown, level: number): string
  /** What comes before the members of one that has some. */
  parent(name: string, level: number): string
}

const json: Form = {
  start: '{',
  end: '}',
  between: ',',
  member: (name, value) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  parent: (name) => `${JSON.stringify(name)}:`,
}

const yaml: Form = {
  start: '',
  end: '',
  between: '',
  member: (name, value, level) =>
    stringify({ [name]: value }, { aliasDuplicateObjects: false }).replace(/^(?=.)/gm, '  '.repeat(level)),
  parent: (name, level) => '  '.repeat(level) + stringify({ [name]: 0 }).replace(/ 0\n$/, '\n'),
}

/** Texts of members, and the members of parents. */
type Members = Map<string, Buffer | Members>

/** The text of a large document that comes in parts, each a document with some of its members. */
export interface DocumentText {
  /** Adds members that are not there yet. Of the part, only texts are kept. */
  add(part: object): void
  /** The whole, in UTF-8, and its bytes. Texts are let go as the stream is read. */
  end(): { readonly stream: Readable; readonly length: number }
}

export function jsonDocument(): DocumentText {
  return documentText(json)
}

export function yamlDocument(): DocumentText {
  return documentText(yaml)
}

function documentText(form: Form): DocumentText {
  const members: Members = new Map()
  return {
    add: (part) => addTo(members, part, 0),
    end() {
      let length = 0
      for (const text of textsOf(members, 0, false)) length += text.length
      return { stream: Readable.from(inPieces(textsOf(members, 0, true)), { objectMode: false }), length }
    },
  }

  function addTo(known: Members, part: object, level: number): void {
    for (const [name, value] of Object.entries(part) as [string, unknown][]) {
      const there = known.get(name)
      if (value === undefined || Buffer.isBuffer(there)) continue
      const isParent = level + 1 < depth && typeof value === 'object' && value !== null && !Array.isArray(value)
      if (!isParent) {
        known.set(name, Buffer.from(form.member(name, value, level)))
        continue
      }
      const own: Members = there ?? new Map()
      known.set(name, own)
      addTo(own, value, level + 1)
    }
  }

  function* textsOf(of: Members, level: number, isLast: boolean): Generator<Buffer> {
    yield Buffer.from(form.start)
    let between = ''
    for (const [name, member] of of) {
      if (between !== '') yield Buffer.from(between)
      between = form.between
      if (isLast) of.delete(name)
      if (Buffer.isBuffer(member)) yield member
      else if (member.size === 0) yield Buffer.from(form.member(name, {}, level))
      else {
        yield Buffer.from(form.parent(name, level))
        yield* textsOf(member, level + 1, isLast)
      }
    }
    yield Buffer.from(form.end)
  }
}

/** Larger pieces, of which streams need fewer steps. */
function* inPieces(texts: Iterable<Buffer>): Generator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  for (const text of texts) {
    pieces.push(text)
    length += text.length
    if (length < pieceLength) continue
    yield Buffer.concat(pieces)
    pieces = []
    length = 0
  }
  yield Buffer.concat(pieces)
}
