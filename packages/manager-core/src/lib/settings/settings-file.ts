import type { Assignment } from './read-shell-settings.js'
import { meantBy } from './unknown-variables.js'
import { valuesOf, type Given, type VariableTable, type VariableValues } from './variable-values.js'

/** A settings file that was read. */
export interface SettingsFile<T extends VariableTable> {
  readonly table: T
  readonly values: VariableValues<T>
  /** Variables that are nothing to the manager, and those of vendors, as they were assigned last. */
  readonly others: Readonly<Record<string, string>>
  /** Those that instances and hooks get: not what was probably meant to be one of the manager's. */
  readonly passedOn: Readonly<Record<string, string>>
  /** Where a variable is assigned last, `config.sh:12`. */
  originOf(name: string): string
}

/**
 * @param shown how origins call the file
 * @param otherwise gives what the file does not
 */
export function settingsFile<T extends VariableTable>(
  table: T,
  assignments: readonly Assignment[],
  shown: string,
  otherwise: (name: string) => Given | undefined = () => undefined,
): SettingsFile<T> {
  const last = new Map(assignments.map((assignment) => [assignment.name, assignment]))
  const originOf = (name: string) => `${shown}:${last.get(name)?.line}`
  const assigned = (name: string): Given | undefined => {
    const found = last.get(name)
    return found && { text: found.value, origin: originOf(name) }
  }
  const aliases = new Set(Object.values(table).flatMap(({ aliases: names = [] }) => names))
  const isOther = (name: string) => (Object.hasOwn(table, name) ? table[name]?.passedOn : !aliases.has(name))
  const others = [...last.values()].filter(({ name }) => isOther(name)).map(({ name, value }) => [name, value] as const)
  return {
    table,
    values: valuesOf(table, (name) => assigned(name) ?? otherwise(name)),
    others: Object.fromEntries(others),
    passedOn: Object.fromEntries(others.filter(([name]) => meantBy(name).length === 0)),
    originOf,
  }
}
