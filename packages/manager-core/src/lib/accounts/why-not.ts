import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import { programPath } from '../system/run.js'
import { neededPrograms } from './system-accounts.js'

/** Why instances cannot have accounts of their own: what it means, and what to do. */
export interface Obstacle {
  readonly reason: string
  readonly help: string
}

const isMissing = 'so instances run as the user of the manager and can read its files and those of each other'

/** What keeps instances from running as accounts of their own on this machine; undefined: nothing. */
export function whyNotIsolated({ home, applicationServer }: ObstacleContext): Obstacle | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return {
      reason: `The manager does not run as root, ${isMissing}.`,
      help: 'To isolate instances from each other, run the manager as root on Linux.',
    }
  const missing = neededPrograms.filter((program) => programPath(program) === undefined)
  if (missing.length > 0)
    return {
      reason: `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed, ${isMissing}.`,
      help: 'Install the packages that contain them (on Debian: util-linux, passwd, coreutils and tar).',
    }
  if (readFileSync('/proc/sys/fs/protected_hardlinks', 'utf8').trim() === '0')
    return {
      reason: `Users of this machine may make hard links to files that they cannot read (fs.protected_hardlinks=0), ${isMissing}.`,
      help: 'Set fs.protected_hardlinks=1: with sysctl -w, and in a file in /etc/sysctl.d.',
    }
  const manager = dirname(fileURLToPath(import.meta.url))
  const programs = [process.execPath, applicationServer, manager].map((path) => ['programs', path] as const)
  for (const [what, path] of [...programs, ['home', join(dirname(home.folder), '.')] as const]) {
    const closed = closedFolder(path)
    if (closed !== undefined)
      return {
        reason: `Other users cannot enter ${closed}, which contains the manager's ${what}, ${isMissing}.`,
        help:
          what === 'home'
            ? `Move the home to a folder that all users can enter, e.g. /srv/steward, or run: chmod o+x ${closed}`
            : `Install Node and Steward in a folder that all users can read, e.g. /opt/steward, or run: chmod o+x ${closed}`,
      }
  }
  return undefined
}

export interface ObstacleContext {
  readonly home: Home
  /** Absolute path of the manager's application server. */
  readonly applicationServer: string
}

export interface IsolationContext extends ObstacleContext {
  /** APPS_ISOLATION */
  readonly settings: { readonly global: { readonly isolation: 'auto' | 'yes' | 'no' } }
}

/** The first folder on the way to a path, or the path itself, that others may not enter or read; undefined: they may. */
export function closedFolder(path: string): string | undefined {
  const real = existsSync(path) ? realpathSync(path) : path
  const stats = statSync(real, { throwIfNoEntry: false })
  const needed = stats?.isDirectory() === false ? 0o004 : 0o001
  const above = dirname(real)
  const closed = above === real ? undefined : closedFolder(above)
  return closed ?? (stats && (stats.mode & needed) === 0 ? real : undefined)
}

/** Whether new instances get accounts, and what keeps them from it when they should. */
export type Isolation = { readonly isOn: true } | { readonly isOn: false; readonly obstacle: Obstacle | undefined }

/** Now, by APPS_ISOLATION and what is possible. */
export function isolationOf(context: IsolationContext): Isolation {
  if (context.settings.global.isolation === 'no') return { isOn: false, obstacle: undefined }
  const obstacle = whyNotIsolated(context)
  return obstacle ? { isOn: false, obstacle } : { isOn: true }
}

/** The same for a new instance. @throws ManagerError ERR_SETTINGS when it must have one and cannot */
export function getsAccount(context: IsolationContext): boolean {
  const isolation = isolationOf(context)
  if (!isolation.isOn && isolation.obstacle && context.settings.global.isolation === 'yes')
    throw new ManagerError('ERR_SETTINGS', `APPS_ISOLATION=yes is not possible here: ${isolation.obstacle.reason}`, {
      help: isolation.obstacle.help,
    })
  return isolation.isOn
}

/** What a person should know who starts or sets up a manager. @throws as `getsAccount` */
export function isolationWarnings(context: IsolationContext): readonly string[] {
  if (getsAccount(context)) return []
  const isolation = isolationOf(context)
  return !isolation.isOn && isolation.obstacle ? [`${isolation.obstacle.reason} ${isolation.obstacle.help}`] : []
}
