import { TargetError } from './target-error.js'
import type { TargetContext, TargetType } from './target-type.js'
import type { BackupTarget } from './target.js'

/** Types that come with this package, in the order in which they are shown; each loads when it is used. */
export const builtInTypes = ['local', 'scp', 'ftp', 'swift', 's3', 'gcs'] as const

export interface OpenTargetOptions extends Partial<TargetContext> {
  /** `scp`, or the npm package of a plug-in. */
  readonly type: string
  readonly options: Readonly<Record<string, string>>
  /** Folders whose `node_modules` are searched for plug-ins, in this order, before those of this package. */
  readonly pluginFolders?: readonly string[]
}

/** @throws TargetError ERR_TARGET_SETTINGS when there is no such type, or its package is not installed or exports none. */
export async function targetTypeOf(type: string, _pluginFolders: readonly string[] = []): Promise<TargetType> {
  throw new TargetError('ERR_TARGET_SETTINGS', `Not there yet: ${type}`)
}

/** @throws TargetError ERR_TARGET_SETTINGS: unknown type or option, a required one is missing (naming all of them). */
export async function openTarget({ type, pluginFolders }: OpenTargetOptions): Promise<BackupTarget> {
  await targetTypeOf(type, pluginFolders)
  throw new TargetError('ERR_TARGET_SETTINGS', `Not there yet: ${type}`)
}
