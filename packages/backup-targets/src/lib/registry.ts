import { targetPackage } from './plugin.js'
import { TargetError } from './target-error.js'
import type { TargetContext, TargetType } from './target-type.js'
import type { BackupTarget } from './target.js'

const builtIn: Readonly<Record<string, () => Promise<{ readonly target: TargetType }>>> = {
  local: () => import('./local/target.js'),
  scp: () => import('./scp/target.js'),
  ftp: () => import('./ftp/target.js'),
  swift: () => import('./swift/target.js'),
  s3: () => import('./s3/target.js'),
  gcs: () => import('./gcs/target.js'),
}

/** Types that come with this package, in the order in which they are shown; each loads when it is used. */
export const builtInTypes: readonly string[] = Object.freeze(Object.keys(builtIn))

export interface OpenTargetOptions extends Partial<TargetContext> {
  /** `scp`, or the npm package of a plug-in. */
  readonly type: string
  readonly options: Readonly<Record<string, string>>
  /** Folders whose `node_modules` are searched for plug-ins, in this order, before those of this package. */
  readonly pluginFolders?: readonly string[]
}

/**
 * The type of this name: a built-in one, else the export `target` of the package of this name.
 *
 * @param pluginFolders folders in which the package is looked for
 * @throws TargetError ERR_TARGET_SETTINGS when there is no such type, or its package is not installed or exports none
 */
export async function targetTypeOf(type: string, pluginFolders: readonly string[] = []): Promise<TargetType> {
  const load = Object.hasOwn(builtIn, type) ? builtIn[type] : undefined
  return load ? (await load()).target : targetPackage(type, pluginFolders)
}

/**
 * A target of these settings. Connections are opened with the first call; the caller closes it.
 *
 * @throws TargetError ERR_TARGET_SETTINGS for an unknown type or option, or a missing one (naming all of them)
 */
export async function openTarget(settings: OpenTargetOptions): Promise<BackupTarget> {
  const { type, options, pluginFolders, idleMs = 60_000, environment = process.env } = settings
  const found = await targetTypeOf(type, pluginFolders)
  return found.open(checkOptions(found, options), { idleMs, environment })
}

/** The given options with the defaults of the others. An empty text is not given. */
function checkOptions({ name, options }: TargetType, given: Readonly<Record<string, string>>): Record<string, string> {
  const known = new Map(options.map((option) => [option.name, option]))
  const unknown = Object.keys(given).filter((each) => !known.has(each))
  if (unknown.length > 0)
    throw new TargetError('ERR_TARGET_SETTINGS', `A target of type ${name} has no option ${quoted(unknown)}.`, {
      help: `It has ${quoted([...known.keys()])}.`,
    })
  const values: Record<string, string> = {}
  for (const option of options) {
    const value = given[option.name] || option.default
    if (value !== undefined) values[option.name] = value
  }
  const missing = options.filter((option) => option.required && values[option.name] === undefined)
  if (missing.length === 0) return values
  const names = quoted(missing.map((option) => option.name))
  throw new TargetError('ERR_TARGET_SETTINGS', `A target of type ${name} needs ${names}.`, {
    help: missing.map((option) => `${option.name}: ${option.summary}.`).join(' '),
  })
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
