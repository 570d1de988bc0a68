import { ManagerError } from '../../errors.js'

/** A text that is read from its start to its end, with the line where it is. */
export class ShellText {
  readonly #text: string
  readonly #file: string
  #at = 0
  #line = 1

  /** @throws ManagerError when it has NUL characters. */
  constructor(text: string, file: string) {
    this.#file = file
    this.#text = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
    const nul = this.#text.indexOf('\0')
    if (nul >= 0) throw this.refuse('a NUL character', { line: this.#text.slice(0, nul).split('\n').length })
  }

  get ended(): boolean {
    return this.#at >= this.#text.length
  }

  /** From 1. */
  get line(): number {
    return this.#line
  }

  /** How much of `all` was read, in UTF-16 code units. */
  get at(): number {
    return this.#at
  }

  /** The whole text: without a byte order mark, with LF line ends. */
  get all(): string {
    return this.#text
  }

  /** One character, empty at the end. */
  peek(): string {
    return this.#text[this.#at] ?? ''
  }

  startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }

  /** What a sticky pattern matches here; empty when it does not. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0] ?? ''
  }

  take(length: number): string {
    const taken = this.#text.slice(this.#at, this.#at + length)
    this.#at += taken.length
    this.#line += taken.split('\n').length - 1
    return taken
  }

  /** Takes what a sticky pattern matches here. */
  takeMatch(pattern: RegExp): string {
    return this.take(this.match(pattern).length)
  }

  /** Goes back to an earlier place, and from there to the end of its line. */
  skipLine({ at, line }: { readonly at: number; readonly line: number }): void {
    this.#at = at
    this.#line = line
    this.takeMatch(/[^\n]*/y)
  }

  /** Up to a character, which is taken too; undefined when it does not come any more. */
  takeUntil(character: string): string | undefined {
    const end = this.#text.indexOf(character, this.#at)
    return end < 0 ? undefined : this.take(end + 1 - this.#at).slice(0, -1)
  }

  /** An error that names the file and the line. */
  error(message: string, { line = this.#line, help }: { line?: number; help?: string } = {}): ManagerError {
    return new ManagerError('ERR_SETTINGS', `${this.#file}:${line}: ${message}`, { help })
  }

  /** An error about what a shell would do and a settings file may not hold. */
  refuse(construct: string, options: { line?: number; help?: string } = {}): ManagerError {
    const help = 'Settings files may only contain NAME=value and export NAME=value. Nothing was executed.'
    return this.error(`${construct} is not allowed in settings.`, { help, ...options })
  }
}

/** What of a shell's language begins with the character here, in words; undefined: one that a word may hold. */
export function operatorAt(text: ShellText): string | undefined {
  switch (text.peek()) {
    case '`':
      return 'A command substitution (`…`)'
    case '|':
      return text.startsWith('||') ? 'A list of commands ("||")' : 'A pipe ("|")'
    case '&':
      return text.startsWith('&&') ? 'A list of commands ("&&")' : 'A command in the background ("&")'
    case '<':
    case '>':
      return `A redirection ("${text.match(/[<>]{1,3}/y)}")`
    case '(':
      return 'An array or a subshell ("(")'
    case ')':
      return 'A closing parenthesis'
    default:
      return undefined
  }
}
