import { nearMisses } from '../domain/near-miss.js'
import type { Assignment } from './read-shell-settings.js'
import type { SettingDescription } from './settings.js'
import { isSecretName, withoutCredentials } from './secret-names.js'
import { globalTable } from './tables/global.js'
import { instanceTable } from './tables/instance.js'
import { versionTable } from './tables/version.js'
import type { Variable } from './variable.js'
import type { VariableTable, VariableValues } from './variable-values.js'

const masked = '***'
const table: VariableTable = globalTable

export interface DescribeOptions {
  readonly values: VariableValues<typeof globalTable>
  readonly assignments: readonly Assignment[]
  /** Name of the settings file. */
  readonly file: string
  readonly home: string
}

/** The variables of the table in its order, then those that are not in it. */
export function describeSettings(options: DescribeOptions): readonly SettingDescription[] {
  const { assignments, file } = options
  const aliases = new Set(Object.values(table).flatMap(({ aliases: names = [] }) => names))
  const others = assignments.filter(
    ({ name }, at) =>
      !Object.hasOwn(table, name) && !aliases.has(name) && assignments.findLastIndex((a) => a.name === name) === at,
  )
  return [
    ...Object.keys(globalTable).map((name) => describeKnown(name as keyof typeof globalTable, options)),
    ...others.map(({ name, value, line }) => ({
      name,
      section: 'Passed on to instances and hooks',
      value: isSecretName(name) ? masked : withoutCredentials(value),
      default: undefined,
      origin: `${file}:${line}`,
      summary: '',
      ...hint(hintOfUnknown(name)),
    })),
  ]
}

function describeKnown(name: keyof typeof globalTable, options: DescribeOptions): SettingDescription {
  const { values } = options
  const variable: Variable = globalTable[name]
  const given = values.given(name)
  const isSecret = variable.type === 'secret'
  return {
    name,
    section: variable.section,
    value:
      given === undefined
        ? undefined
        : isSecret && given.origin !== 'default'
          ? masked
          : withoutCredentials(given.text),
    default: variable.default,
    origin: given?.origin ?? 'default',
    summary: variable.summary,
    ...hint(wrongValue(name, values) ?? hintOf(name, options)),
  }
}

function wrongValue(name: keyof typeof globalTable, values: DescribeOptions['values']): string | undefined {
  try {
    values.value(name)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function hintOf(name: keyof typeof globalTable, { values, assignments, file, home }: DescribeOptions) {
  const assigned = assignments.findLast((assignment) => assignment.name === name)
  if (name === 'APPS_HOME' && assigned && assigned.value !== home)
    return `${file}:${assigned.line} says ${assigned.value}, which is not used.`
  const isMissing = values.given(name) === undefined
  if (isMissing && (name === 'APPS_SERVER_CERT' || name === 'APPS_SERVER_KEY')) {
    const ssl = values.given('APPS_SSL')?.text
    if (ssl !== 'false' && values.given('APPS_BASEURL')?.text.startsWith('https:'))
      return `It is needed for HTTPS, as APPS_SSL is ${ssl}.`
  }
  return undefined
}

function hintOfUnknown(name: string): string | undefined {
  const isOfVersion = Object.hasOwn(versionTable, name)
  if (isOfVersion) return 'It belongs into version-<version>.sh.'
  if (Object.hasOwn(instanceTable, name)) return "It belongs into an instance's settings."
  if (!/^_?(APP|SERVICE)/i.test(name)) return undefined
  const meant = nearMisses(name, [...Object.keys(globalTable), ...Object.keys(versionTable)])
  if (meant.length > 0) return `Did you mean ${meant.join(' or ')}?`
  return name.startsWith('APPS_') ? 'No variable of the manager is called so.' : undefined
}

function hint(text: string | undefined): { readonly hint?: string } {
  return text === undefined ? {} : { hint: text }
}
