import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import { newPassword } from '../domain/passwords.js'
import type { Secret } from '../domain/secret.js'
import { assignmentLine } from './write-shell-settings.js'

/** APPS_BASEURL of a new home without another one. */
export const defaultUrl = 'http://localhost:8000'

export interface MakeHomeOptions {
  /** APPS_BASEURL */
  readonly baseUrl: string
  /** Also in a folder that holds something else. */
  readonly force?: boolean
  /** Only returns what it would create. */
  readonly dryRun?: boolean
}

/**
 * Makes what is missing of a manager's home: folders that others cannot read, `config.sh`, and the version 1.0 when there
 * is not a version. What is there is never changed, so that it may be called again.
 *
 * @returns what was made, relative to the home; empty: nothing was missing.
 * @throws ManagerError ERR_STATE when the folder holds something else; ERR_HOME when it cannot be made.
 */
export function makeHome(home: Home, { baseUrl, force = false, dryRun = false }: MakeHomeOptions): readonly string[] {
  const made: string[] = []
  try {
    const names = namesIn(home.folder)
    if (!force) refuseForeign(home, names)
    for (const folder of [home.folder, home.hooks, home.templates, home.instances, home.trash, home.locks, home.logs]) {
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue
      if (!dryRun) mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (folder !== home.folder) made.push(`${relative(home.folder, folder)}/`)
    }
    const hasVersion = names.some((name) => /^version-.+\.sh$/.test(name))
    put(home.config, configText(baseUrl, newPassword()))
    if (!hasVersion) put(home.versionSettings('1.0'), firstVersionText)
  } catch (error) {
    if (ManagerError.is(error)) throw error
    throw new ManagerError('ERR_HOME', `The home ${home.folder} cannot be created: ${(error as Error).message}.`, {
      cause: error,
      help: 'Use a writable folder: --home or APPS_HOME.',
    })
  }
  return made

  function put(file: string, text: string): void {
    if (statSync(file, { throwIfNoEntry: false })) return
    try {
      if (!dryRun) writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
      made.push(basename(file))
    } catch (error) {
      // Another one made it just now.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * A home would be scattered among the files of `~` or of a project by a forgotten `--home`.
 *
 * @throws ManagerError ERR_STATE
 */
export function refuseForeign(home: Home, names: readonly string[]): void {
  if (names.includes(basename(home.config))) return
  const own = new Set(
    [home.hooks, home.templates, home.instances, home.trash, home.locks, home.logs, home.registryCopies].map((f) =>
      basename(f),
    ),
  )
  const foreign = names.filter(
    (name) =>
      !own.has(name) &&
      !name.startsWith('.') &&
      name !== 'lost+found' &&
      !/^(version-.+\.sh|manager\.db.*)$/.test(name),
  )
  if (foreign.length === 0) return
  const shown = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ` and ${foreign.length - 3} more` : '')
  throw new ManagerError('ERR_STATE', `${home.folder} contains other files: ${shown}.`, {
    help: 'Use an empty or new folder with --home, or add --force.',
  })
}

/** @param more what else is set from the start */
export function configText(baseUrl: string, password: Secret, more: Readonly<Record<string, string>> = {}): string {
  const ssl = baseUrl.startsWith('https:') ? '' : '\nexport APPS_SSL=false'
  const others = Object.entries(more).map(([name, value]) => `\nexport ${assignmentLine(name, value)}`)
  return `# Settings of the instances manager. Read without a shell: nothing but NAME=value, quotes and $NAME.
# "manager config" shows all variables with their values, and "manager config --all" those that are not set, too.

# Address of the manager.
export ${assignmentLine('APPS_BASEURL', baseUrl)}${ssl}${others.join('')}

# Password of the API and the pages; the user is admin, or APPS_USERNAME.
export ${assignmentLine('APPS_PASSWORD', password.reveal())}

# Address for failure mails, and the mail server.
#export APPS_EMAIL=operator@example.org
#export APPS_MAILSERVER=localhost

# New instances.
#export APPS_DEFAULTDATABASE=sqlite
#export APPS_DEFAULTAUTOSAVE=yes

# Backups, and the days that they are kept.
#export APPS_SAVE_DIR=$APPS_HOME/save
#export APPS_SAVE_DIR_DEPTH=30
`
}

/** The version in a new home. */
export const firstVersionText = `# Version 1.0: the application of instances of this version.
# default: what comes with the manager; or folder:<path>, git:<url>#<branch, tag or commit>, npm:<name>@<range>
APPS_TEMPLATE=default
`
