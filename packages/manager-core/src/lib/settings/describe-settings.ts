import { isSecretName, withoutCredentials } from '../domain/secret-names.js'
import type { SettingDescription } from './settings.js'
import type { SettingsFile } from './settings-file.js'
import { hintOfUnknown } from './unknown-variables.js'
import type { Variable } from './variable.js'
import type { Given, VariableTable } from './variable-values.js'

const masked = '***'

/**
 * The variables of a file's table in its order, then those that are not in it.
 *
 * @param hintOf what else there is to say about a variable
 */
export function describeSettings<T extends VariableTable>(
  file: SettingsFile<T>,
  hintOf: (name: keyof T & string) => string | undefined = () => undefined,
): readonly SettingDescription[] {
  const { table, values, others, originOf } = file
  const known = Object.keys(table).map((name): SettingDescription => {
    const { section, default: ofNone, summary, type } = table[name] as T[string]
    const given = values.given(name)
    return {
      name,
      section,
      value: shown(given, type === 'secret'),
      default: ofNone,
      origin: given?.origin ?? 'default',
      summary,
      ...hint(wrongValue(file, name) ?? hintOf(name) ?? effectless(table[name] as T[string], given)),
    }
  })
  const unknown = Object.entries(others)
    .filter(([name]) => !Object.hasOwn(table, name))
    .map(([name, text]): SettingDescription => {
      const given = { text, origin: originOf(name) }
      return {
        name,
        section: 'Passed on',
        value: shown(given, isSecretName(name)),
        default: undefined,
        origin: given.origin,
        summary: 'Not used by the manager; passed on to instances and hooks',
        ...hint(hintOfUnknown(name, table)),
      }
    })
  return [...known, ...unknown]
}

function shown(given: Given | undefined, isSecret: boolean): string | undefined {
  if (given === undefined) return undefined
  return isSecret && given.origin !== 'default' && given.text !== '' ? masked : withoutCredentials(given.text)
}

/** Not for its default, which a user may have written down. */
function effectless({ withoutEffect, default: ofNone }: Variable, given: Given | undefined): string | undefined {
  const isChanged = given !== undefined && given.origin !== 'default' && given.text !== ofNone
  return withoutEffect !== undefined && isChanged ? `It has no effect here. ${withoutEffect}` : undefined
}

function wrongValue<T extends VariableTable>({ values }: SettingsFile<T>, name: keyof T & string): string | undefined {
  try {
    values.value(name)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function hint(text: string | undefined): { readonly hint?: string } {
  return text === undefined ? {} : { hint: text }
}
