import {
  createLimit,
  openTarget,
  reliable,
  targetTypeOf,
  type BackupTarget,
  type Limit,
  type ReliableOptions,
  type TargetType,
} from '@steward/backup-targets'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import { didYouMean } from '../domain/near-miss.js'
import type { Settings, TargetSettings } from '../settings/settings.js'
import { targetFailure } from './target-failure.js'
import type { Targets } from './targets.js'

export interface TargetsOptions {
  readonly settings: () => Settings
  readonly home: Home
  /** Default: that of `@steward/backup-targets`. */
  readonly open?: typeof openTarget
  /** How calls are tried again. Default: as `reliable` does. */
  readonly retries?: Omit<ReliableOptions, 'bytesPerSecond'>
}

/** The targets of `config.sh`; plug-ins are looked for in `<home>/node_modules` first, then beside the manager. */
export function createTargets({ settings, home, open = openTarget, retries }: TargetsOptions): Targets {
  const pluginFolders = [home.folder, import.meta.dirname]

  function get(name: string): TargetSettings {
    const { targets } = settings().global
    const found = targets.find((target) => target.name === name)
    if (found) return found
    const names = targets.map((target) => target.name)
    throw new ManagerError('ERR_NOT_FOUND', `Unknown target "${name.slice(0, 80)}".`, {
      help:
        didYouMean(name, names) ??
        (names.length > 0 ? `Targets: ${names.join(', ')}.` : 'No target is set: see "Remote stores" in the settings.'),
      command: names.length > 0 ? 'target list' : 'config --all remote',
    })
  }

  const opened = ({ type: kind, options }: TargetSettings): Promise<BackupTarget> =>
    open({ type: kind, options: plain(options), pluginFolders, environment: settings().environment() })

  /** One for all targets and transfers, until the setting changes. */
  let current: { readonly bytesPerSecond: number; readonly limit: Limit } | undefined
  function limit(): Limit | undefined {
    const { targetBandwidth: bytesPerSecond } = settings().global
    if (bytesPerSecond === undefined) return undefined
    if (current?.bytesPerSecond !== bytesPerSecond) current = { bytesPerSecond, limit: createLimit(bytesPerSecond) }
    return current.limit
  }

  const type = (name: string): Promise<TargetType> =>
    targetTypeOf(get(name).type, pluginFolders).catch((error: unknown) =>
      Promise.reject(targetFailure(name, error) as Error),
    )

  return {
    get all() {
      return settings().global.targets
    },
    get,
    type,
    async describe(name) {
      return (await type(name)).describe(plain(get(name).options))
    },
    async use(name, work) {
      const of = get(name)
      try {
        const target = reliable(await opened(of), { ...retries, bytesPerSecond: limit() })
        try {
          return await work(target)
        } finally {
          // What was put is there for good already.
          await target.close().catch(() => undefined)
        }
      } catch (error) {
        throw targetFailure(name, error)
      }
    },
    async open(name) {
      const of = get(name)
      return opened(of).catch((error: unknown) => Promise.reject(targetFailure(name, error) as Error))
    },
  }
}

function plain(options: TargetSettings['options']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'string' ? value : value.reveal()]),
  )
}
