import { ManagerError } from '../../errors.js'
import { didYouMean } from '../domain/near-miss.js'

/** Mistakes of a file of rules: all are found before anything is said. */
export interface Problems {
  /** @param what a sentence without its full stop */
  add(line: number, what: string, help?: string): void
  /** @param what the thing that is not there: `the field "x" of Contact` */
  unknown(line: number, what: string, given: string, known: readonly string[]): void
  /** @throws ManagerError ERR_SETTINGS: the first mistake as message, the others as output */
  throwIfAny(): void
}

/** More are of no use. */
const most = 50
/** Names of a file that is none of rules may have any length. */
const mostShown = 200

export function createProblems(file: string): Problems {
  const found: { readonly text: string; readonly help: string | undefined }[] = []
  return {
    add(line, what, help) {
      const shown = what.length > mostShown ? `${what.slice(0, mostShown)}…` : what
      found.push({ text: `${file}, line ${line}: ${shown}.`, help })
    },
    unknown(line, what, given, known) {
      const listed = known.length <= 30 ? `Known: ${known.join(', ')}.` : undefined
      this.add(line, `${what} is not known`, didYouMean(given, known) ?? listed)
    },
    throwIfAny() {
      const [first, ...others] = found
      if (first === undefined) return
      throw new ManagerError('ERR_SETTINGS', first.text, {
        ...(first.help !== undefined && { help: first.help }),
        ...(others.length > 0 && { output: others.slice(0, most).map(withHelp).join('\n') }),
      })
    },
  }
}

function withHelp({ text, help }: { readonly text: string; readonly help: string | undefined }): string {
  return help === undefined ? text : `${text} ${help}`
}
