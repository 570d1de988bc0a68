import { ManagerError } from '../../errors.js'
import { withoutCredentials } from '../domain/secret-names.js'
import { parseValue, type ValueOf, type Variable } from './variable.js'

export type VariableTable = Readonly<Record<string, Variable>>

/** What is set, and where. */
export interface Given {
  readonly text: string
  /** `config.sh:12` or `environment`. */
  readonly origin: string
  /** Why the text could not be read; it is empty then. */
  readonly error?: ManagerError | undefined
}

/** Values of the variables of a table. */
export interface VariableValues<T extends VariableTable> {
  /** @throws ManagerError ERR_SETTINGS naming the variable, its value (unless secret), where it is, and what is allowed. */
  value<N extends keyof T & string>(name: N): ValueOf<T[N]>
  /** What was set or else its default; undefined when neither is there. An empty text counts as not set. */
  given(name: keyof T & string): Given | undefined
  /** Values that do not fit each other. @throws ManagerError the error, unless defaults may be used */
  refuse(error: ManagerError): undefined
}

/**
 * @param mayReplace whether the default takes the place of what cannot be used; default: never, it is refused
 * @param name undefined: not of one variable
 */
export function valuesOf<T extends VariableTable>(
  table: T,
  lookup: (name: string) => Given | undefined,
  mayReplace: (name?: string) => boolean = () => false,
): VariableValues<T> {
  const given = (name: string): Given | undefined => {
    const { aliases = [] } = rowOf(name)
    const set = [name, ...aliases]
      .map(lookup)
      .find((found) => found !== undefined && (found.text !== '' || found.error !== undefined))
    return set ?? defaultOf(name)
  }
  const defaultOf = (name: string): Given | undefined => {
    const { default: text } = rowOf(name)
    if (text === undefined) return undefined
    const isOther = (other: string) => Object.hasOwn(table, other)
    let error: ManagerError | undefined
    const expanded = text.replace(/\$(\w+)/g, (whole, other: string) => {
      if (!isOther(other)) return whole
      const found = usable(other)
      // It is wrong because the other one is, which is said once.
      if (found !== undefined && 'wrong' in found) error ??= found.wrong
      return found !== undefined && 'text' in found ? found.text : ''
    })
    return { text: expanded, origin: 'default', error }
  }
  const rowOf = (name: string) => table[name] as Variable

  /** What is used of it, parsed, or why it cannot be; undefined: neither set nor a default. */
  const usable = (name: string): Usable | undefined => {
    const found = given(name)
    if (found === undefined) return undefined
    const read = usableOf(name, rowOf(name), found)
    if (!('wrong' in read) || !mayReplace(name)) return read
    const { default: ofNone, standIn } = rowOf(name)
    const instead =
      ofNone === undefined && standIn !== undefined ? { text: standIn, origin: 'default' } : defaultOf(name)
    return instead && usableOf(name, rowOf(name), instead)
  }

  return {
    given,
    value<N extends keyof T & string>(name: N) {
      const variable = rowOf(name)
      const found = usable(name)
      if (found !== undefined) {
        if ('wrong' in found) throw found.wrong
        return found.value as ValueOf<T[N]>
      }
      const { required, standIn } = variable
      if (!required || mayReplace(name)) return standIn as ValueOf<T[N]>
      throw new ManagerError('ERR_SETTINGS', `${name} is not set.`, { help: `${variable.summary}.` })
    },
    refuse(error) {
      if (mayReplace()) return undefined
      throw error
    },
  }
}

type Usable = { readonly text: string; readonly value: unknown } | { readonly wrong: ManagerError }

function usableOf(name: string, variable: Variable, found: Given): Usable {
  if (found.error) return { wrong: found.error }
  const parsed = parseValue(variable, found.text)
  if ('value' in parsed) return { text: found.text, value: parsed.value }
  return { wrong: new ManagerError('ERR_SETTINGS', wrongValue(name, found, parsed.allowed)) }
}

/** Never called with a secret: those take any text. */
function wrongValue(name: string, { text, origin }: Given, allowed: string): string {
  const plain = withoutCredentials(text)
  const shown = plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
  return `${name} is ${JSON.stringify(shown)} (${origin}), but must be ${allowed}.`
}
