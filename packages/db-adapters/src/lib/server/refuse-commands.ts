import { DatabaseServerError } from './database-server.js'

/** Passes a dump on as it is read, up to what it may not have. */
export type DumpFilter = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>

const [tab, newLine, carriageReturn, space] = [9, 10, 13, 32]
const [doubleQuote, hash, dollar, quote, openParen, closeParen, star] = [34, 35, 36, 39, 40, 41, 42]
const [dash, dot, slash, semicolon, backslash, backtick] = [45, 46, 47, 59, 92, 96]
const [exclamationMark, letterM] = [33, 77]

/** Longer than each word that means anything here. */
const longestWord = 16
/** What an error shows of a line. */
const shownBytes = 60

/** pg_dump writes these by itself, so that psql takes no other commands between them. The key is different in each dump. */
const ownCommand = /^\\(?:un)?restrict [A-Za-z0-9]+\r?$/

const isWordStart = (byte: number) =>
  (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || byte === 95 || byte >= 128
const isWordPart = (byte: number) => isWordStart(byte) || (byte >= 48 && byte <= 57) || byte === dollar
const isBlank = (byte: number) => byte === space || byte === tab || byte === carriageReturn || byte === newLine

/**
 * A filter for dumps of a type: it fails at what the vendor's client would do itself, on this machine. Undefined: dumps of
 * this type are not read by such a client.
 *
 * - PostgreSQL: commands of psql (`\!`, `\copy`, `\g`, …) outside texts, quoted names, comments and rows. The commands
 *   `\restrict` and `\unrestrict`, which newer versions of pg_dump write and older ones of psql do not know, are left out.
 * - MySQL and MariaDB: statements `LOAD DATA` and `LOAD XML`. The client itself takes no commands in its binary mode.
 *
 * It reads as the clients do, with standard texts in UTF-8: it makes errors clear and is no replacement for a client that
 * runs without rights. The filter throws a DatabaseServerError `ERR_DUMP` that names the line.
 */
export function refuseCommands(type: string): DumpFilter | undefined {
  if (type === 'postgresql') return refuseInPostgresql
  if (type === 'mysql') return refuseInMysql
  return undefined
}

function refusal(what: string, line: number, text: string): DatabaseServerError {
  const shown = text.replaceAll(/[^ -~]/g, '?').trim()
  return new DatabaseServerError(
    'ERR_DUMP',
    `The dump has ${what} in line ${line}: ${shown}. Only statements and rows are restored.`,
  )
}

type State = 'sql' | 'text' | 'dollar' | 'dollar text' | 'line comment' | 'comment' | 'command' | 'rows'

/** The lexical rules of psql. Source: the scanner of psql, and its COPY. */
async function* refuseInPostgresql(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let state: State = 'sql'
  let line = 1
  /** The byte before, 0 after a token of two bytes. */
  let previous = newLine
  let word = ''
  // The text or name in quotes.
  let closing = quote
  let isEscaping = false
  let isEscaped = false
  /** After an escaping text, which continues in the next quotes when only blanks with a new line are between. */
  let continues: 'no' | 'maybe' | 'yes' = 'no'
  let delimiter = ''
  let seen = ''
  let depth = 0
  let command = ''
  /** How much of the line that ends rows was seen; -1: the line is another one. */
  let ending = 0
  // The statement.
  let parens = 0
  let blocks = 0
  let words: string[] = []
  let last = ''
  let isCopy = false
  let rowsFollow = false

  const endWord = () => {
    if (word === '') return
    const found = word.toLowerCase()
    word = ''
    words.push(found)
    if (words.length > 4) words.length = 4
    if (parens > 0) return
    if (words[0] === 'copy' && last === 'from' && found === 'stdin') isCopy = true
    last = found
    if (!makesRoutine(words)) return
    if (found === 'begin' || (found === 'case' && blocks > 0)) blocks++
    else if (found === 'end' && blocks > 0) blocks--
  }

  for await (const chunk of source) {
    let from = 0
    let at = 0
    while (at < chunk.length) {
      const byte = chunk[at] as number
      if (byte === newLine) line++
      switch (state) {
        case 'sql': {
          const before = previous
          previous = byte
          if ((before === dash && byte !== dash) || (before === slash && byte !== star)) continues = 'no'
          if (word !== '' ? isWordPart(byte) : isWordStart(byte)) {
            if (word.length < longestWord) word += String.fromCharCode(byte)
            if (rowsFollow) throw unusual(chunk, at)
            continues = 'no'
            break
          }
          const escapes = word === 'E' || word === 'e'
          endWord()
          if (isBlank(byte)) {
            if (byte !== newLine) break
            if (continues === 'maybe') continues = 'yes'
            if (!rowsFollow) break
            rowsFollow = false
            state = 'rows'
            ending = 0
            break
          }
          if (byte === backslash) {
            if (before !== newLine) throw refused(chunk, at)
            yield chunk.subarray(from, at)
            state = 'command'
            command = ''
            // Read again, as its first byte.
            continue
          }
          if (rowsFollow) throw unusual(chunk, at)
          if (before === dash && byte === dash) {
            state = 'line comment'
            break
          }
          if (before === slash && byte === star) {
            state = 'comment'
            depth = 1
            previous = 0
            continues = 'no'
            break
          }
          if (byte === quote || byte === doubleQuote) {
            state = 'text'
            closing = byte
            isEscaping = byte === quote && (escapes || continues === 'yes' || (continues === 'maybe' && before === 0))
            isEscaped = false
            last = ''
          } else if (byte === dollar) {
            state = 'dollar'
            delimiter = '$'
          } else if (byte === openParen) parens++
          else if (byte === closeParen && parens > 0) parens--
          else if (byte === semicolon && parens === 0 && blocks === 0) {
            rowsFollow = isCopy
            words = []
            last = ''
            isCopy = false
          }
          if (byte !== dash && byte !== slash) continues = 'no'
          break
        }
        case 'text':
          if (isEscaped) isEscaped = false
          else if (byte === backslash && isEscaping) isEscaped = true
          else if (byte === closing) {
            // A doubled one closes and opens.
            state = 'sql'
            previous = 0
            continues = isEscaping ? 'maybe' : 'no'
          }
          break
        case 'dollar':
          if (byte === dollar) {
            state = 'dollar text'
            delimiter += '$'
            seen = ''
            break
          }
          if (delimiter.length === 1 ? isWordStart(byte) : isWordPart(byte)) {
            delimiter += String.fromCharCode(byte)
            break
          }
          state = 'sql'
          word = delimiter.slice(1, 1 + longestWord)
          previous = dollar
          if (byte === newLine) line--
          continue
        case 'dollar text':
          if (byte === dollar || seen !== '') {
            seen = (seen + String.fromCharCode(byte)).slice(-delimiter.length)
            if (byte === dollar && seen === delimiter) {
              state = 'sql'
              previous = 0
              continues = 'no'
            }
          }
          break
        case 'line comment':
          if (byte !== newLine) break
          state = 'sql'
          previous = newLine
          if (continues === 'maybe') continues = 'yes'
          break
        case 'comment':
          if (previous === slash && byte === star) depth++
          else if (previous === star && byte === slash) depth--
          else {
            previous = byte
            break
          }
          previous = 0
          if (depth === 0) state = 'sql'
          break
        case 'command':
          if (byte !== newLine) {
            command += String.fromCharCode(byte)
            if (command.length > 2 * shownBytes) throw refusal('a command of psql', line, command.slice(0, shownBytes))
            break
          }
          if (!ownCommand.test(command)) throw refusal('a command of psql', line - 1, command.slice(0, shownBytes))
          state = 'sql'
          previous = newLine
          // The line stays, as an empty one.
          from = at
          break
        case 'rows': {
          if (byte === newLine) {
            if (ending >= 2) {
              state = 'sql'
              previous = newLine
            }
            ending = 0
            break
          }
          if (ending === 0 && byte === backslash) ending = 1
          else if (ending === 1 && byte === dot) ending = 2
          else if (ending === 2 && byte === carriageReturn) ending = 3
          else {
            ending = -1
            const end = chunk.indexOf(newLine, at)
            at = end === -1 ? chunk.length : end
            continue
          }
          break
        }
      }
      at++
    }
    if (state !== 'command' && from < chunk.length) yield chunk.subarray(from)
  }
  if (state === 'command') throw refusal('a command of psql', line, command.slice(0, shownBytes))

  function refused(chunk: Buffer, at: number) {
    return refusal('a command of psql', line, chunk.toString('latin1', at, at + shownBytes).split('\n')[0] ?? '')
  }

  function unusual(chunk: Buffer, at: number) {
    const text = chunk.toString('latin1', at, at + shownBytes).split('\n')[0] ?? ''
    return refusal('something between COPY and its rows', line, text)
  }
}

/** As psql finds out whether a semicolon ends a statement, or stands in a body between BEGIN and END. */
function makesRoutine([first, second, third, fourth]: readonly string[]): boolean {
  if (first !== 'create') return false
  const made = second === 'or' && third === 'replace' ? fourth : second
  return made === 'function' || made === 'procedure'
}

/** 1 for bytes that mean something in a statement of which the first word is known, alone or with the next one. */
const meaning = new Uint8Array(256)
for (const byte of [quote, doubleQuote, backtick, semicolon, hash, dash, slash, star, newLine]) meaning[byte] = 1

/** A search for a byte costs as much as looking at that many. */
const shortText = 32

/** Most of a dump are texts. */
function finderIn(chunk: Buffer) {
  let nextBackslash = -1
  let nextNewLine = -1
  const found = (byte: number, at: number) => {
    const place = chunk.indexOf(byte, at)
    return place === -1 ? chunk.length : place
  }
  return {
    /** Where something in a text means something, from here on: its end, or a backslash in it. */
    endOfText(at: number, closing: number): number {
      const hasEscapes = closing !== backtick
      const near = Math.min(at + shortText, chunk.length)
      for (; at < near; at++) {
        const byte = chunk[at]
        if (byte === closing || (byte === backslash && hasEscapes)) return at
      }
      const end = found(closing, at)
      if (!hasEscapes) return end
      if (nextBackslash < at) nextBackslash = found(backslash, at)
      return Math.min(end, nextBackslash)
    },
    newLines(from: number, to: number): number {
      if (nextNewLine < from) nextNewLine = found(newLine, from)
      let count = 0
      for (let at = nextNewLine; at < to; at++) if (chunk[at] === newLine) count++
      return count
    },
  }
}

/** The lexical rules of the client mysql. Source: https://dev.mysql.com/doc/refman/8.4/en/language-structure.html */
async function* refuseInMysql(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let state: 'sql' | 'text' | 'line comment' | 'comment start' | 'comment' = 'sql'
  let line = 1
  let previous = newLine
  let beforePrevious = 0
  let word = ''
  let closing = quote
  let isEscaped = false
  /** Words of the statement so far; -1: another statement than one that loads. */
  let words = 0

  for await (const chunk of source) {
    const find = finderIn(chunk)
    for (let at = 0; at < chunk.length; at++) {
      if (state === 'text' && !isEscaped) {
        const begin = at
        at = find.endOfText(at, closing)
        line += find.newLines(begin, at)
        if (at === chunk.length) break
      } else if (state === 'sql' && words === -1 && previous !== dash) {
        const begin = at
        while (at < chunk.length && meaning[chunk[at] as number] === 0) at++
        if (at > begin) {
          beforePrevious = at - begin > 1 ? (chunk[at - 2] as number) : previous
          previous = chunk[at - 1] as number
        }
        if (at === chunk.length) break
      }
      const byte = chunk[at] as number
      if (byte === newLine) line++
      switch (state) {
        case 'text':
          if (isEscaped) isEscaped = false
          else if (byte === closing) state = 'sql'
          else isEscaped = true
          continue
        case 'line comment':
          if (byte === newLine) state = 'sql'
          continue
        case 'comment start':
          // What follows ! is run; MariaDB has a mark of its own.
          if (byte === exclamationMark) {
            state = 'sql'
            previous = space
          } else if (byte !== letterM || previous === letterM) state = 'comment'
          if (state !== 'sql') previous = byte
          continue
        case 'comment':
          if (previous === star && byte === slash) {
            state = 'sql'
            previous = space
          } else previous = byte
          continue
        default:
      }
      if (isWordPart(byte)) {
        if (words >= 0 && word.length < longestWord) word += String.fromCharCode(byte)
      } else {
        if (word !== '') endWord(chunk, at)
        if (byte === quote || byte === doubleQuote || byte === backtick) {
          state = 'text'
          closing = byte
          isEscaped = false
          words = -1
        } else if (byte === semicolon) words = 0
        else if (byte === hash || (beforePrevious === dash && previous === dash && isBlank(byte))) {
          if (byte !== newLine) state = 'line comment'
        } else if (previous === slash && byte === star) {
          state = 'comment start'
          beforePrevious = 0
          previous = 0
          continue
        }
      }
      beforePrevious = previous
      previous = byte
    }
    yield chunk
  }

  function endWord(chunk: Buffer, at: number): void {
    const found = word.toLowerCase()
    word = ''
    // Numbers of versions, and the M of MariaDB, in comments that are run.
    if (words === 0 && (/^\d+$/.test(found) || found === 'm')) return
    if (words === 0 && found === 'load') words = 1
    else if (words === 1 && (found === 'data' || found === 'xml')) {
      const text = chunk.toString('latin1', at, at + shownBytes).split('\n')[0] ?? ''
      throw refusal('a statement that reads files', line, `LOAD ${found.toUpperCase()}${text}`)
    } else words = -1
  }
}
