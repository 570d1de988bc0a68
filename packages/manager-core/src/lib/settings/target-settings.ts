import type { Secret } from '../domain/secret.js'
import type { TargetSettings } from './settings.js'
import type { globalTable } from './tables/global.js'
import { targetTable } from './tables/targets.js'
import type { TargetVariables } from './target-variables.js'
import type { VariableValues } from './variable-values.js'

type Values = VariableValues<typeof globalTable>

/** Targets with variables of their own, in the order of the requirements; they are used when `main` is set. */
const named = [
  { name: 'scp', type: 'scp', main: 'server' },
  { name: 'ftp', type: 'ftp', main: 'server' },
  { name: 'swift', type: 'swift', main: 'container' },
  { name: 'swift-alt', type: 'swift', main: 'container' },
  { name: 's3', type: 's3', main: 'bucket' },
  { name: 'gcs', type: 'gcs', main: 'bucket' },
] as const

/**
 * The targets that are set: those with variables of their own, then those of APPS_TARGETS. The name of an option is the
 * lower-case rest of its variable: APPS_SCP_KNOWN_HOSTS is `known_hosts`. Source: docs/spec/instances-manager.md,
 * "Global settings".
 *
 * @throws ManagerError ERR_SETTINGS
 */
export function targetsOf(values: Values, variables: TargetVariables): readonly TargetSettings[] {
  return [
    ...named.flatMap(({ name, type, main }) => {
      const options = name === 'swift-alt' ? alternativeSwift(values) : optionsOf(values, type)
      return options[main] === undefined ? [] : [{ name, type, options }]
    }),
    ...(values.value('APPS_TARGETS') ?? []).flatMap((name) => {
      const { type: variable, options } = variables.of(name)
      const type = valueOf(values, variable) as string | undefined
      // Those who only look leave it out.
      if (type === undefined) return []
      return { name, type, options: present([...options].map(([option, each]) => [option, valueOf(values, each)])) }
    }),
  ]
}

type OptionValue = string | Secret | undefined

/** Takes the variables that begin with the type: `APPS_SCP_…`. */
function optionsOf(values: Values, type: string): Readonly<Record<string, string | Secret>> {
  const prefix = `APPS_${type.toUpperCase()}_`
  const variables = Object.keys(targetTable).filter((name) => name.startsWith(prefix) && !name.endsWith('_ALT'))
  return present(variables.map((name) => [name.slice(prefix.length).toLowerCase(), valueOf(values, name)]))
}

/** The same account, another container. */
function alternativeSwift(values: Values): Readonly<Record<string, string | Secret>> {
  const { container: _container, prefix: _prefix, ...account } = optionsOf(values, 'swift')
  return {
    ...account,
    ...present([
      ['container', valueOf(values, 'APPS_SWIFT_CONTAINER_ALT')],
      ['prefix', valueOf(values, 'APPS_SWIFT_PREFIX_ALT')],
    ]),
  }
}

function valueOf({ value }: Values, variable: string): OptionValue {
  const found = value(variable as keyof typeof globalTable) as string | number | Secret | undefined
  return typeof found === 'number' ? String(found) : found
}

function present(entries: readonly (readonly [string, OptionValue])[]): Readonly<Record<string, string | Secret>> {
  return Object.fromEntries(entries.filter((entry): entry is [string, string | Secret] => entry[1] !== undefined))
}
