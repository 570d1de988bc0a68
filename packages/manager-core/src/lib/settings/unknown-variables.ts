import { nearMisses } from '../domain/near-miss.js'
import { globalTable } from './tables/global.js'
import { instanceTable } from './tables/instance.js'
import { versionTable } from './tables/version.js'
import type { VariableTable } from './variable-values.js'

const tables: readonly (readonly [VariableTable, string])[] = [
  [globalTable, 'Move it to config.sh.'],
  [versionTable, 'Move it to version-<version>.sh.'],
  [instanceTable, 'Move it to the settings of an instance.'],
]

/** Variables of the manager that a name, which is none, was probably meant to be; only of names that look like one. */
export function meantBy(name: string): readonly string[] {
  if (!/^_?(APP|SERVICE)/i.test(name)) return []
  return nearMisses(
    name,
    tables.flatMap(([table]) => Object.keys(table)),
  )
}

/** What to say about a variable that a file of this table does not have. */
export function hintOfUnknown(name: string, table: VariableTable): string | undefined {
  const elsewhere = tables.find(([other]) => other !== table && Object.hasOwn(other, name))
  if (elsewhere) return elsewhere[1]
  const meant = meantBy(name)
  if (meant.length > 0) return `Did you mean ${meant.join(' or ')}?`
  return /^(APPS|SERVICE)_/.test(name) ? 'The manager has no variable of this name.' : undefined
}
