import type { ManagerError } from '../../errors.js'
import type { Assignment } from './read-shell-settings.js'
import { meantBy } from './unknown-variables.js'
import { valuesOf, type Given, type VariableTable, type VariableValues } from './variable-values.js'

/** A settings file that was read. */
export interface SettingsFile<T extends VariableTable> {
  readonly table: T
  readonly values: VariableValues<T>
  /** The same with defaults instead of what cannot be used, as far as those may be used. */
  readonly lenient: VariableValues<T>
  /** Variables that are nothing to the manager, and those of vendors, as they were assigned last. */
  readonly others: Readonly<Record<string, string>>
  /** Why some of them could not be read. */
  readonly wrongOthers: readonly ManagerError[]
  /** Those that instances and hooks get: not what was probably meant to be one of the manager's. */
  readonly passedOn: Readonly<Record<string, string>>
  /** Where a variable is assigned last, `config.sh:12`. */
  originOf(name: string): string
}

/**
 * @param shown how origins call the file
 * @param otherwise gives what the file does not
 * @param mayReplace see `valuesOf`
 */
export function settingsFile<T extends VariableTable>(
  table: T,
  assignments: readonly Assignment[],
  shown: string,
  otherwise: (name: string) => Given | undefined = () => undefined,
  mayReplace: (name?: string) => boolean = () => false,
): SettingsFile<T> {
  const last = new Map(assignments.map((assignment) => [assignment.name, assignment]))
  const originOf = (name: string) => `${shown}:${last.get(name)?.line}`
  const assigned = (name: string): Given | undefined => {
    const found = last.get(name)
    return found && { text: found.value, origin: originOf(name), error: found.error }
  }
  const aliases = new Set(Object.values(table).flatMap(({ aliases: names = [] }) => names))
  const isOther = (name: string) => (Object.hasOwn(table, name) ? table[name]?.passedOn : !aliases.has(name))
  const ofOthers = [...last.values()].filter(({ name }) => isOther(name))
  const others = ofOthers.filter(({ error }) => !error).map(({ name, value }) => [name, value] as const)
  const lookup = (name: string) => assigned(name) ?? otherwise(name)
  return {
    table,
    values: valuesOf(table, lookup),
    lenient: valuesOf(table, lookup, mayReplace),
    others: Object.fromEntries(others),
    wrongOthers: ofOthers.flatMap(({ error }) => error ?? []),
    passedOn: Object.fromEntries(others.filter(([name]) => meantBy(name).length === 0)),
    originOf,
  }
}
