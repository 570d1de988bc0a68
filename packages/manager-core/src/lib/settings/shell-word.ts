import { isSecretName } from '../domain/secret-names.js'
import { operatorAt, type ShellText } from './shell-text.js'

/** Gives the value of a variable; undefined: not set. */
export type Lookup = (name: string) => string | undefined

const nameAhead = /[A-Za-z_][A-Za-z0-9_]*/y

/** Reads the value after `NAME=`, to the blank, line end or `;` that ends it. */
export function readWord(source: ShellText, variable: string, lookup: Lookup): string {
  let value = ''
  let mayBeHome = true
  for (;;) {
    const character = source.peek()
    if (source.ended || ' \t\n;'.includes(character)) return value
    if (character === "'") value += readSingle(source)
    else if (character === '"') value += readDouble(source, variable, lookup)
    else if (character === '$') value += readDollar(source, variable, lookup, false)
    else if (character === '\\') value += readBackslash(source)
    else if (character === '~' && mayBeHome) throw source.refuse('A home folder ("~")', { help: 'Write $HOME.' })
    else {
      const operator = operatorAt(source)
      if (operator) throw source.refuse(operator, { help: 'To use it as text, put the value in quotes.' })
      value += source.take(1)
    }
    mayBeHome = character === ':'
  }
}

/** Outside of quotes. */
function readBackslash(source: ShellText): string {
  source.take(1)
  if (source.ended) return '\\'
  const next = source.take(1)
  return next === '\n' ? '' : next
}

function readSingle(source: ShellText): string {
  const { line } = source
  source.take(1)
  const value = source.takeUntil("'")
  if (value === undefined) throw source.error("The quote ' has no end.", { line })
  return value
}

function readDouble(source: ShellText, variable: string, lookup: Lookup): string {
  const { line } = source
  source.take(1)
  let value = ''
  for (;;) {
    if (source.ended) throw source.error('The quote " has no end.', { line })
    const character = source.peek()
    if (character === '$') value += readDollar(source, variable, lookup, true)
    else if (character === '`') throw source.refuse('A command substitution (`…`)')
    else if (source.startsWith('\\\n')) source.take(2)
    else if (character === '\\') value += source.takeMatch(/\\[$`"\\]?/y).slice(-1)
    else if (source.take(1) === '"') return value
    else value += character
  }
}

function readDollar(source: ShellText, variable: string, lookup: Lookup, quoted: boolean): string {
  if (source.startsWith('$((') || source.startsWith('$[')) throw source.refuse('Arithmetic ("$((…))")')
  if (source.startsWith('$(')) throw source.refuse('A command substitution ("$(…)")')
  if (!quoted && source.startsWith("$'")) return readAnsi(source)
  if (!quoted && source.startsWith('$"')) throw source.refuse('A translated text (\'$"…"\')')
  const { line } = source
  if (source.startsWith('${')) {
    const whole = source.takeMatch(/\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}$`"'\\\n]*)?\}/y)
    if (whole === '') throw source.refuse('An expansion other than "${NAME}" and "${NAME:-text}"')
    const [name = '', ...fallback] = whole.slice(2, -1).split(':-')
    if (fallback.length > 0) return lookup(name) || fallback.join(':-')
    return expand(name, line)
  }
  source.take(1)
  const name = source.takeMatch(nameAhead)
  // To a shell the name would continue there.
  if (source.startsWith('\\\n')) throw source.refuse('A continued line in a name')
  if (name !== '') return expand(name, line)
  const special = source.match(/[0-9@*#?$!-]/y)
  if (special !== '')
    throw source.refuse(`A parameter of the shell ("$${special}")`, {
      help: 'To use the dollar sign as text, put the value in single quotes.',
    })
  return '$'

  function expand(name: string, line: number): string {
    const value = lookup(name)
    if (value !== undefined) return value
    // A password with a dollar sign in it must not be shown.
    const shown = isSecretName(variable) ? 'A variable' : `$${name}`
    throw source.error(`${shown} in the value of ${variable} is not set.`, {
      line,
      help: 'Set it on an earlier line, write ${NAME:-} if it may be empty, or put a literal "$" in single quotes.',
    })
  }
}

/** `$'…'` */
function readAnsi(source: ShellText): string {
  const { line } = source
  source.take(2)
  let value = ''
  for (;;) {
    if (source.ended) throw source.error("The quote $' has no end.", { line })
    const character = source.take(1)
    if (character === "'") return value
    value += character === '\\' ? readAnsiEscape(source) : character
  }
}

function readAnsiEscape(source: ShellText): string {
  const number = source.takeMatch(/x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}/y)
  if (number === '') {
    const letter = source.take(1)
    if (letter === 'c') throw source.refuse('The escape "\\c"')
    return ansiLetters[letter] ?? `\\${letter}`
  }
  const code = /^[0-7]/.test(number) ? parseInt(number, 8) & 0xff : parseInt(number.slice(1), 16)
  const isByte = !/^u/i.test(number)
  if (code === 0 || (isByte && code > 0x7f) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw source.refuse(`The escape "\\${number}"`, { help: 'Write the character itself, or \\u and its code point.' })
  return String.fromCodePoint(code)
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001B',
  E: '\u001B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}
