import { execFile } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs of one database product, as absolute paths. */
export type Programs<Name extends string> = Record<Name, string>

const postgresqlNames = ['postgres', 'initdb', 'psql'] as const
const mariadbNames = ['mariadbd', 'mariadb-install-db', 'mariadb'] as const

/**
 * PostgreSQL's server programs, or undefined when one is missing. Distributions keep them outside PATH; the newest
 * version wins, and all come from one folder, because `initdb` of one version cannot prepare data for another.
 */
export function findPostgresql(): Programs<(typeof postgresqlNames)[number]> | undefined {
  const versioned = globSync(['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql@*/bin', '/usr/pgsql-*/bin'])
  const newestFirst = versioned.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  for (const folder of [...newestFirst, ...searchPath()]) {
    const found = findIn([folder], ['postgres', 'initdb'])
    const psql = found && findIn([folder, ...searchPath()], ['psql'])
    if (psql) return { ...found, ...psql }
  }
  return undefined
}

/** MariaDB's server programs, or undefined when one is missing. */
export function findMariadb(): Programs<(typeof mariadbNames)[number]> | undefined {
  return findIn([...searchPath(), '/usr/sbin', '/usr/libexec', '/opt/homebrew/opt/mariadb/bin'], mariadbNames)
}

/** Chromium or Chrome, or undefined when there is none; the one without windows first. */
export function findChromium(): string | undefined {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
  const found = names.map((name) => findIn(searchPath(), [name])?.[name]).find(Boolean)
  return found ?? chromiumPlaces.find(isExecutable)
}

const chromiumPlaces = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Whether `name` is an executable in PATH. */
export function hasCommand(name: string): boolean {
  return findIn(searchPath(), [name]) !== undefined
}

/** Absolute path of an executable in PATH. Throws when it is not there. */
export function findCommand(name: string): string {
  const found = findIn(searchPath(), [name])?.[name]
  if (found === undefined) throw new Error(`${name} is not in PATH.`)
  return found
}

/** Runs a program to its end. Rejects with what it printed when it fails. */
export async function run([command = '', ...args]: string[], env: NodeJS.ProcessEnv = serverEnvironment()) {
  return new Promise<string>((resolve, reject) => {
    execFile(command, args, { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} failed: ${(stderr || stdout || error.message).trim()}`, { cause: error }))
      else resolve(stdout)
    })
  })
}

/** This process's environment without what would redirect a database program to the user's own server. */
export function serverEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(PG|MYSQL|MARIADB|LC_|LANG)/.test(name))
  return { ...Object.fromEntries(own), LC_ALL: 'C', ...extra }
}

function searchPath(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter(Boolean)
}

function findIn<Name extends string>(folders: string[], names: readonly Name[]): Programs<Name> | undefined {
  const found = names.map((name) => [name, folders.map((folder) => join(folder, name)).find(isExecutable)] as const)
  return found.every(([, path]) => path) ? (Object.fromEntries(found) as Programs<Name>) : undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
