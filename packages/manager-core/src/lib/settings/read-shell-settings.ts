import { ManagerError } from '../../errors.js'
import { operatorAt, ShellText } from './shell-text.js'
import { readWord, type Lookup } from './shell-word.js'

/** One `NAME=value` of a settings file. */
export interface Assignment {
  readonly name: string
  readonly value: string
  /** Where it starts, from 1. */
  readonly line: number
  /** Why its value could not be read, with `wrong`; the value is empty then. */
  readonly error?: ManagerError
}

/** An assignment with its place in the text. */
export interface PlacedAssignment extends Assignment {
  /** Where `NAME=value` starts and ends in `PlacedSettings.text`, in UTF-16 code units. */
  readonly from: number
  readonly to: number
}

export interface PlacedSettings {
  /** What was read: without a byte order mark, with LF line ends. */
  readonly text: string
  readonly assignments: readonly PlacedAssignment[]
}

export interface ReadShellOptions {
  /** How the file is called in errors. */
  readonly file: string
  /** What `$NAME` gives when no earlier line assigns it. Default: nothing is set. */
  readonly lookup?: Lookup
  /**
   * Takes why a line that is not an assignment could not be read; reading continues in the next line. Default: that is an
   * error, and so is a value that cannot be read.
   */
  readonly wrong?: (error: ManagerError) => void
}

const keywords = new Set(
  `if then elif else fi for while until do done case esac in select function time coproc { } [[ ! local declare typeset
   readonly unset source . eval exec alias set shift trap return exit`.split(/\s+/),
)

/**
 * Reads a settings file of shell assignments without a shell: nothing of it is executed. It means what it means to
 * `bash`: `NAME=value` and `export NAME=value`, several on a line with blanks or `;` between, comments, the quotes `'…'`,
 * `"…"` and `$'…'`, parts side by side (`a"b"'c'`), `\` escapes and continued lines, `$NAME`, `${NAME}` and
 * `${NAME:-text}`. A byte order mark and CRLF line ends are borne. Anything else is an error.
 *
 * A `$NAME` that is not set is an error too, where a shell gives an empty text. Not specified; chosen because a misspelt
 * `$APPS_HMOE/save` would mean `/save`; `${NAME:-}` says that it may be empty.
 *
 * @returns all assignments in their order; of a name that is assigned twice the last one holds.
 * @throws ManagerError ERR_SETTINGS naming the file, the line and what is not allowed there.
 */
export function readShellSettings(text: string, options: ReadShellOptions): readonly Assignment[] {
  return placeShellSettings(text, options).assignments.map(({ from: _from, to: _to, ...assignment }) => assignment)
}

/** As `readShellSettings`, with the place of each assignment. */
export function placeShellSettings(text: string, { file, lookup, wrong }: ReadShellOptions): PlacedSettings {
  const source = new ShellText(text, file)
  const values = new Map<string, string>()
  const found: PlacedAssignment[] = []
  const valueOf: Lookup = (name) => values.get(name) ?? lookup?.(name)

  for (;;) {
    source.takeMatch(/(?:[ \t\n]|\\\n|#[^\n]*)+/y)
    if (source.ended) return { text: source.all, assignments: found }
    const { at, line } = source
    try {
      readStatement()
    } catch (error) {
      if (!wrong || !ManagerError.is(error)) throw error
      wrong(error)
      source.skipLine({ at, line })
    }
  }

  function readStatement(): void {
    if (source.takeMatch(/export(?=[\s;#\\]|$)/y)) readExport()
    else
      do assign([readAssignment()])
      while (!isAtEnd())
    source.takeMatch(/;/y)
  }

  /** Whether a statement ends here. */
  function isAtEnd(): boolean {
    source.takeMatch(/(?:[ \t]|\\\n)+/y)
    return source.ended || '\n;#'.includes(source.peek())
  }

  /** All of its values are expanded before the first name has its value. */
  function readExport(): void {
    const assignments: PlacedAssignment[] = []
    while (!isAtEnd()) {
      if (source.peek() === '-') throw source.refuse('An option of "export"')
      // `export NAME` of what an earlier line assigns says nothing new.
      if (!source.takeMatch(/[A-Za-z_][A-Za-z0-9_]*(?=[\s;#]|$)/y)) assignments.push(readAssignment())
    }
    assign(assignments)
  }

  function assign(assignments: readonly PlacedAssignment[]): void {
    for (const { name, value, error } of assignments) if (!error) values.set(name, value)
    found.push(...assignments)
  }

  function readAssignment(): PlacedAssignment {
    const { line, at: from } = source
    const name = source.takeMatch(/[A-Za-z_][A-Za-z0-9_]*/y)
    if (name === '' || source.peek() !== '=') throw notAnAssignment(name, found.at(-1)?.line === line)
    source.take(1)
    try {
      const value = readWord(source, name, valueOf)
      return { name, value, line, from, to: source.at }
    } catch (error) {
      if (!wrong || !ManagerError.is(error)) throw error
      source.skipLine({ at: from, line })
      return { name, value: '', line, from, to: source.at, error }
    }
  }

  function notAnAssignment(name: string, behindAnother: boolean): ManagerError {
    if (name !== '' && source.match(/\+=/y)) return source.refuse('An assignment that appends ("+=")')
    if (name !== '' && source.match(/\[/y)) return source.refuse('An element of an array')
    if (name !== '' && source.match(/[ \t]*\(/y)) return source.refuse('A function ("()")')
    if (name === '' && source.peek() === ';') return source.refuse('An empty command (";")')
    const operator = name === '' ? operatorAt(source) : undefined
    if (operator) return source.refuse(operator)
    const blank = 'Quote values with spaces, and write no spaces around "=".'
    // It may be the rest of a password that should have been in quotes.
    if (behindAnother) return source.error('There is text after the assignment.', { help: blank })
    const word = `${name}${source.match(/[^\s;&|<>()'"`$\\=]{0,30}/y)}`
    if (keywords.has(word)) return source.refuse(`"${word}" of the shell's language`)
    const help = source.match(/[ \t]+=/y) ? { help: blank } : {}
    return source.refuse(word === '' ? 'A line without an assignment' : `The command "${word}"`, help)
  }
}
