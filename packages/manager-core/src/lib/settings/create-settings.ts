import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { checkVersionName } from '../domain/versions.js'
import type { Home } from '../home.js'
import { instanceHomeAt } from '../home.js'
import { describeSettings } from './describe-settings.js'
import { globalSettingsOf } from './global-settings.js'
import { instanceSettingsOf } from './instance-settings.js'
import { instanceVariables } from './instance-variables.js'
import type { Assignment } from './read-shell-settings.js'
import { readSettingsFile } from './read-settings-file.js'
import type { GlobalSettings, Settings } from './settings.js'
import { globalTable } from './tables/global.js'
import { instanceTable } from './tables/instance.js'
import { versionTable } from './tables/version.js'
import { valuesOf, type Given, type VariableTable, type VariableValues } from './variable-values.js'
import { versionSettingsOf } from './version-settings.js'
import { writePrivateFile } from './write-private-file.js'
import { assignmentLine } from './write-shell-settings.js'

export interface SettingsOptions {
  readonly home: Home
  /**
   * The caller's environment. A variable of the manager that `config.sh` does not set is taken from there, so that what a
   * file says holds for every caller, at a terminal as from a timer. `APPS_HOME` is always the home.
   */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** `config.sh` as it was last read. */
interface GlobalFile {
  readonly stamp: string
  readonly assignments: readonly Assignment[]
  readonly values: VariableValues<typeof globalTable>
  readonly passedOn: Readonly<Record<string, string>>
  settings?: GlobalSettings
}

export function createSettings({ home, environment }: SettingsOptions): Settings {
  let last: GlobalFile | undefined
  const lookup = (name: string) => (name === 'APPS_HOME' ? home.folder : environment[name])

  function globalFile(): GlobalFile {
    const stamp = stampOf(home.config)
    if (last?.stamp === stamp) return last
    const assignments = readSettingsFile(home.config, lookup)
    if (!assignments)
      throw new ManagerError('ERR_HOME', `${home.folder} is no manager's home: it has no config.sh.`, {
        help: 'Make one there, or name another with --home or APPS_HOME.',
        command: `init --home ${home.folder}`,
      })
    const isOfManager = (name: string) => name.startsWith('APPS_')
    const values = valuesOf(globalTable, (name) => {
      if (name === 'APPS_HOME') return { text: home.folder, origin: 'home' }
      const inEnvironment = isOfManager(name) ? environment[name] : undefined
      return (
        givenIn(assignments, name, basename(home.config)) ??
        (inEnvironment === undefined ? undefined : { text: inEnvironment, origin: 'environment' })
      )
    })
    return (last = { stamp, assignments, values, passedOn: othersThan(globalTable, assignments) })
  }

  return {
    get global() {
      const file = globalFile()
      return (file.settings ??= Object.freeze(globalSettingsOf(file.values, file.passedOn)))
    },

    async version(version) {
      checkVersionName(version)
      const file = home.versionSettings(version)
      const assignments = readSettingsFile(file, lookup) ?? []
      const values = valuesOf(versionTable, (name) => givenIn(assignments, name, basename(file)))
      return versionSettingsOf(version, values, othersThan(versionTable, assignments))
    },

    async instance(folder) {
      const file = instanceHomeAt(folder).settings
      // Values are written as they are: nothing is expanded from the environment.
      const assignments = readSettingsFile(file)
      if (!assignments)
        throw new ManagerError('ERR_NOT_FOUND', `The settings of the instance, ${file}, are not there.`, {
          command: 'doctor',
        })
      const shown = join(basename(folder), basename(file))
      const values = valuesOf(instanceTable, (name) => givenIn(assignments, name, shown))
      return instanceSettingsOf(values, othersThan(instanceTable, assignments))
    },

    async writeInstance(folder, settings) {
      const lines = Object.entries(instanceVariables(settings)).map(([name, value]) => assignmentLine(name, value))
      const heading = '# Settings of an instance, written by the manager. They hold passwords: keep the mode 0600.'
      await writePrivateFile(instanceHomeAt(folder).settings, `${[heading, ...lines].join('\n')}\n`)
    },

    describe() {
      const { values, assignments } = globalFile()
      return describeSettings({ values, assignments, file: basename(home.config), home: home.folder })
    },

    environment() {
      const { values, passedOn } = globalFile()
      const own = Object.entries(globalTable).flatMap(([name, { type }]) => {
        const given = type === 'secret' ? undefined : values.given(name as keyof typeof globalTable)
        return given === undefined ? [] : [[name, given.text]]
      })
      const callers = Object.entries(environment).filter(
        ([name, value]) => value !== undefined && !/^(APPS|SERVICE|STEWARD)_/.test(name),
      )
      return Object.fromEntries([...callers, ...Object.entries(passedOn), ...own]) as Record<string, string>
    },
  }
}

/** The last one holds. */
function givenIn(assignments: readonly Assignment[], name: string, file: string): Given | undefined {
  const found = assignments.findLast((assignment) => assignment.name === name)
  return found && { text: found.value, origin: `${file}:${found.line}` }
}

/** Variables that are nothing to the manager, and those of vendors. */
function othersThan(table: VariableTable, assignments: readonly Assignment[]): Readonly<Record<string, string>> {
  const isAlias = new Set(Object.values(table).flatMap(({ aliases = [] }) => aliases))
  return Object.fromEntries(
    assignments
      .filter(({ name }) => (Object.hasOwn(table, name) ? table[name]?.passedOn : !isAlias.has(name)))
      .map(({ name, value }) => [name, value]),
  )
}

/** Changes with the file. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : ''
}
