import { isSecretName, withoutCredentials } from '../domain/secret-names.js'
import { readShellSettings } from '../settings/read-shell-settings.js'
import { targetVariables } from '../settings/target-variables.js'
import type { VariableTable } from '../settings/variable-values.js'
import { assignmentLine } from '../settings/write-shell-settings.js'

/** A variable of a settings file, with what it says wherever the home is. */
export interface PortableSetting {
  readonly name: string
  /** `export APPS_SAVE_DIR="$APPS_HOME"/save` */
  readonly line: string
  /** It may lie in clear: the manager knows it, and it is not a secret. */
  readonly isPlain: boolean
}

/** Stands for the home while a file is read; no file of text holds it. */
const marker = '\u0001home\u0001'

/**
 * The variables of a settings file, of each name the last one. What is written as `$APPS_HOME` stays so.
 *
 * @param shown how errors call the file
 * @throws ManagerError ERR_SETTINGS
 */
export function portableSettings(
  text: string,
  { table, shown, environment }: PortableOptions,
): readonly PortableSetting[] {
  const lookup = (name: string) => (name === 'APPS_HOME' ? marker : environment(name))
  const assignments = new Map(readShellSettings(text, { file: shown, lookup }).map((one) => [one.name, one]))
  const targets = targetVariables([...assignments.keys()], (name) => assignments.get(name)?.value).rows
  const types = new Map(
    Object.entries({ ...table, ...targets }).flatMap(([name, row]) =>
      [name, ...(row.aliases ?? [])].map((one) => [one, row.type]),
    ),
  )
  return [...assignments.values()]
    .filter(({ name }) => name !== 'APPS_HOME')
    .map(({ name, value }) => {
      const type = types.get(name)
      const isSecret = type === 'secret' || isSecretName(name) || withoutCredentials(value) !== value
      const [first = '', ...rest] = value.split(marker)
      const isAKeyFile = type === 'path'
      const line = `export ${assignmentLine(name, first)}${rest.map((part) => `"$APPS_HOME"${quoted(part)}`).join('')}`
      return { name, line, isPlain: type !== undefined && (!isSecret || isAKeyFile) }
    })
}

export interface PortableOptions {
  readonly table: VariableTable
  readonly shown: string
  /** What `$NAME` gives that the file does not assign. */
  readonly environment: (name: string) => string | undefined
}

function quoted(text: string): string {
  return assignmentLine('x', text).slice(2)
}

const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // https://user:password@host
  /:\/\/[^/\s:@"'$]+:[^/\s@"'${]+@/,
  // --user name:password
  /\s(?:-u|--user)[ =]["']?[^\s"':$]+:[^\s"'$]/,
  // "token": "abc", Authorization: Bearer abc, --password=abc
  /(?:authorization|bearer|api[-_]?key|token|password|passwd|passphrase|secret)["']?\s*[:=]\s*["']?[^\s"'$<{(]/i,
  /\bbearer\s+["']?[\w.-]{8,}/i,
]

/** Whether a script seems to hold a secret, by what such lines look like. Values of variables (`$NAME`) are none. */
export function seemsSecret(content: Buffer): boolean {
  if (content.includes(0)) return true
  const text = content.toString()
  const assigned = [...text.matchAll(/(?:^|[\s;])([A-Za-z_]\w*)=["']?([^\s"'$;]+)/g)]
  return assigned.some(([, name = '']) => isSecretName(name)) || secrets.some((pattern) => pattern.test(text))
}
