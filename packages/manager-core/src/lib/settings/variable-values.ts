import { ManagerError } from '../../errors.js'
import { withoutCredentials } from '../domain/secret-names.js'
import { parseValue, type ValueOf, type Variable } from './variable.js'

export type VariableTable = Readonly<Record<string, Variable>>

/** What is set, and where. */
export interface Given {
  readonly text: string
  /** `config.sh:12` or `environment`. */
  readonly origin: string
}

/** Values of the variables of a table. */
export interface VariableValues<T extends VariableTable> {
  /** @throws ManagerError ERR_SETTINGS naming the variable, its value (unless secret), where it is, and what is allowed. */
  value<N extends keyof T & string>(name: N): ValueOf<T[N]>
  /** What was set or else its default; undefined when neither is there. An empty text counts as not set. */
  given(name: keyof T & string): Given | undefined
}

export function valuesOf<T extends VariableTable>(
  table: T,
  lookup: (name: string) => Given | undefined,
): VariableValues<T> {
  const given = (name: string): Given | undefined => {
    const { aliases = [] } = rowOf(name)
    const set = [name, ...aliases].map(lookup).find((found) => found !== undefined && found.text !== '')
    return set ?? defaultOf(name)
  }
  const defaultOf = (name: string): Given | undefined => {
    const { default: text } = rowOf(name)
    if (text === undefined) return undefined
    const isOther = (other: string) => Object.hasOwn(table, other)
    const expanded = text.replace(/\$(\w+)/g, (whole, other: string) =>
      isOther(other) ? (given(other)?.text ?? '') : whole,
    )
    return { text: expanded, origin: 'default' }
  }
  const rowOf = (name: string) => table[name] as Variable

  return {
    given,
    value<N extends keyof T & string>(name: N) {
      const variable = rowOf(name)
      const found = given(name)
      if (found === undefined) {
        if (!variable.required) return undefined as ValueOf<T[N]>
        throw new ManagerError('ERR_SETTINGS', `${name} is not set.`, { help: `${variable.summary}.` })
      }
      const parsed = parseValue(variable, found.text)
      if ('value' in parsed) return parsed.value as ValueOf<T[N]>
      throw new ManagerError('ERR_SETTINGS', wrongValue(name, found, parsed.allowed))
    },
  }
}

/** Never called with a secret: those take any text. */
function wrongValue(name: string, { text, origin }: Given, allowed: string): string {
  const plain = withoutCredentials(text)
  const shown = plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
  return `${name} is ${JSON.stringify(shown)} (${origin}), but must be ${allowed}.`
}
