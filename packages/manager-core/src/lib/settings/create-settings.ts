import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import { configuredVersions, instanceHomeAt } from '../domain/home.js'
import { isTargetVariable } from '../domain/target-names.js'
import { checkVersionName, compareVersions, isSameVersion } from '../domain/versions.js'
import { writePrivateFile } from '../files/write-private-file.js'
import { describeSettings } from './describe-settings.js'
import { globalSettingsOf, problemsOfGlobal, type GlobalSource } from './global-settings.js'
import { instanceSettingsOf } from './instance-settings.js'
import { instanceVariables } from './instance-variables.js'
import { readableParts } from './on-demand.js'
import { readSettingsFile } from './read-settings-file.js'
import type { GlobalSettings, Settings } from './settings.js'
import { settingsFile, type SettingsFile } from './settings-file.js'
import { stampOf } from './stamp-of.js'
import { globalTable } from './tables/global.js'
import { instanceTable } from './tables/instance.js'
import { versionTable } from './tables/version.js'
import { targetVariables, type TargetVariables } from './target-variables.js'
import type { Variable } from './variable.js'
import type { Given } from './variable-values.js'
import { isWithDefaults } from './with-defaults.js'
import { versionSettingsOf } from './version-settings.js'
import { rewriteShellSettings } from './write-shell-settings.js'

export interface SettingsOptions {
  readonly home: Home
  /**
   * The caller's environment. A variable of the manager that `config.sh` does not set is taken from there, so that what a
   * file says holds for every caller, at a terminal as from a timer. `APPS_HOME` is always the home.
   */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const heading = '# Settings of an instance, written by the manager. They hold passwords: keep the mode 0600.\n'

/** `config.sh` as it was last read. */
interface GlobalFile extends SettingsFile<typeof globalTable> {
  readonly targets: TargetVariables
  /** Why some of it could not be read; not even what it would be about is known. */
  readonly unread: readonly ManagerError[]
  readonly source: GlobalSource
  settings?: GlobalSettings
  problems?: readonly ManagerError[]
}

/** What is wrong in a change is replaced by the default only where that does no harm. */
const mayReplace = (name?: string): boolean => {
  if (isWithDefaults()) return true
  const row: Variable | undefined = Object.hasOwn(globalTable, name ?? '')
    ? globalTable[name as keyof typeof globalTable]
    : undefined
  return row?.defaultIfWrong === true
}

export function createSettings({ home, environment }: SettingsOptions): Settings {
  let last: GlobalFile | undefined
  /** Stamp for the file that `last` was read from, or for a later one with lines that cannot be read. */
  let lastStamp: string | undefined
  let unread: readonly ManagerError[] = []
  const lookup = (name: string) => (name === 'APPS_HOME' ? home.folder : environment[name])

  /** As it is, or as it was when it could be read whole. @throws ManagerError when it never could, see `mayReplace` */
  function globalFile(): GlobalFile {
    const file = currentFile()
    const [first] = file.unread
    if (first && !isWithDefaults()) throw first
    return file
  }

  function currentFile(): GlobalFile {
    const stamp = stampOf(home.config)
    if (last && lastStamp === stamp) return last
    const file = readGlobalFile()
    lastStamp = stamp
    unread = file.unread
    if (last && last.unread.length === 0) {
      // What was usable stays in use.
      if (file.unread.length > 0) return last
      const before = last.settings && readableParts(last.settings)
      file.settings = globalSettingsOf(file.source, before)
    }
    return (last = file)
  }

  function readGlobalFile(): GlobalFile {
    const wrong: ManagerError[] = []
    const assignments = readSettingsFile(home.config, lookup, { wrong: (error) => wrong.push(error) })
    if (!assignments)
      throw new ManagerError('ERR_HOME', `${home.folder} is not a manager's home: it has no config.sh.`, {
        help: 'Create a home there with "manager init", or name another folder with --home or APPS_HOME.',
        command: `init --home ${home.folder}`,
      })
    // The home is where the file is, whatever it says.
    const used = assignments.filter(({ name }) => name !== 'APPS_HOME')
    const otherwise = (name: string): Given | undefined => {
      if (name === 'APPS_HOME') return { text: home.folder, origin: 'home' }
      const text = name.startsWith('APPS_') ? environment[name] : undefined
      return text === undefined ? undefined : { text, origin: 'environment' }
    }
    const targets = targetVariables(
      [...used.map(({ name }) => name), ...Object.keys(environment)],
      (name) => used.findLast((assignment) => assignment.name === name)?.value ?? otherwise(name)?.text,
    )
    const table = { ...globalTable, ...targets.rows }
    const file = settingsFile(table, used, basename(home.config), otherwise, mayReplace)
    const { values: strict, lenient, passedOn, wrongOthers } = file
    return { ...file, targets, unread: wrong, source: { values: { strict, lenient }, targets, passedOn, wrongOthers } }
  }

  /** Undefined: there is none. */
  function versionFile(version: string): SettingsFile<typeof versionTable> | undefined {
    checkVersionName(version)
    const file = home.versionSettings(version)
    const assignments = readSettingsFile(file, lookup)
    return assignments && settingsFile(versionTable, assignments, basename(file))
  }

  function instanceFile(folder: string): SettingsFile<typeof instanceTable> {
    const file = instanceHomeAt(folder).settings
    // Values are there as they are: nothing is expanded from the environment.
    const assignments = readSettingsFile(file)
    if (!assignments)
      throw new ManagerError('ERR_NOT_FOUND', `The settings of the instance are missing: ${file}`, {
        help: 'Put the file back from a backup of this machine, or have it written again with new secrets.',
        command: 'doctor instances --fix',
      })
    return settingsFile(instanceTable, assignments, join(basename(folder), basename(file)))
  }

  return {
    get global() {
      const file = globalFile()
      return (file.settings ??= globalSettingsOf(file.source))
    },

    problems() {
      const file = currentFile()
      return unread.length > 0 ? unread : (file.problems ??= problemsOfGlobal(file.source))
    },

    async version(version) {
      const { values, passedOn } = versionFile(version) ?? settingsFile(versionTable, [], '')
      return versionSettingsOf(version, values, passedOn)
    },

    async instance(folder) {
      const { values, others } = instanceFile(folder)
      return instanceSettingsOf(values, others)
    },

    async writeInstance(folder, settings) {
      const { settings: file } = instanceHomeAt(folder)
      const before = existsSync(file) ? readFileSync(file, 'utf8') : heading
      await writePrivateFile(file, rewriteShellSettings(before, instanceVariables(settings), file))
    },

    describe(of) {
      if (of && 'version' in of) {
        const file = versionFile(of.version)
        if (file) return describeSettings(file, (name) => hintOfVersionFile(name, of.version, file))
        throw new ManagerError('ERR_NOT_FOUND', `File not found: version-${of.version}.sh`, { command: 'versions' })
      }
      if (of) return describeSettings(instanceFile(of.folder))
      const file = globalFile()
      return describeSettings(file, (name) => hintOfGlobal(name, file))
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

  function hintOfGlobal(name: keyof typeof globalTable, { values, targets }: GlobalFile): string | undefined {
    if (name === 'APPS_HOME') return hintOfHome()
    if (name === 'APPS_DEFAULTVERSION') return hintOfVersion(values.given(name)?.text)
    if (name === 'APPS_SLEEP_AFTER') return hintOfSleep(values.given(name)?.text, values.given('APPS_PROXY')?.text)
    if (isTargetVariable(name)) return targets.hintOf(name)
    if (name !== 'APPS_SERVER_CERT' && name !== 'APPS_SERVER_KEY') return undefined
    const isHttps = values.given('APPS_BASEURL')?.text.startsWith('https:')
    const ssl = values.given('APPS_SSL')?.text
    if (!isHttps || ssl === 'false' || values.given(name)) return undefined
    return `It is required for HTTPS, because APPS_SSL is ${ssl}.`
  }

  /** What is in force where that is not what is written. */
  function hintOfVersionFile(
    name: keyof typeof versionTable,
    version: string,
    { values }: SettingsFile<typeof versionTable>,
  ): string | undefined {
    if (name !== 'APPS_AUTOUPGRADE' || values.given(name)?.text === 'false') return undefined
    const isForced = values.given('APPS_JDK') !== undefined && compareVersions(version, '4.0') < 0
    return isForced
      ? 'It is false: versions below 4.0 with APPS_JDK, which run on Java, have their patches imported by the manager.'
      : undefined
  }

  function hintOfSleep(seconds: string | undefined, proxy: string | undefined): string | undefined {
    if (!(Number(seconds) > 0) || proxy === 'yes' || proxy === 'true') return undefined
    return 'Instances do not sleep, because only requests through a reverse proxy (APPS_PROXY=yes) can wake them.'
  }

  function hintOfVersion(version: string | undefined): string | undefined {
    if (version === undefined) return undefined
    const there = configuredVersions(readdirSync(home.folder))
    if (there.some((one) => isSameVersion(one, version))) return undefined
    const known =
      there.length === 0 ? 'there is none' : `existing versions: ${there.toSorted(compareVersions).join(', ')}`
    return `Version ${version} (version-${version}.sh) does not exist, so "add" needs a version; ${known}.`
  }

  /** Said to whom the value is not what they wrote. */
  function hintOfHome(): string | undefined {
    const written = readSettingsFile(home.config, lookup, { wrong: () => undefined })?.findLast(
      ({ name }) => name === 'APPS_HOME',
    )
    if (!written || written.value === home.folder) return undefined
    return `${basename(home.config)}:${written.line} says ${written.value}, which is not used.`
  }
}
