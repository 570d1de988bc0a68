import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { compareVersions } from '../domain/versions.js'
import type { InstanceVersion } from '../instances/version-step.js'

/**
 * Whether what comes fits what stays. Not specified; chosen: an application may not be older than its data, as nothing
 * migrates data back.
 *
 * @throws ManagerError ERR_STATE: data of a newer version than the application, or an application older than the data.
 */
export function checkFits(
  instance: InstanceVersion & { readonly name: string },
  saved: InstanceVersion,
  parts: 'data' | 'app',
): void {
  const difference = compare(saved, instance)
  if (parts === 'data' ? difference <= 0 : difference >= 0) return
  const [theirs, own] = [saved, instance].map(textOf)
  throw new ManagerError(
    'ERR_STATE',
    parts === 'data'
      ? `The data is of version ${theirs}, but "${instance.name}" has the older version ${own}.`
      : `The application is of version ${theirs}, but the data of "${instance.name}" is of the newer version ${own}.`,
    { help: 'Restore application and data together, without --only.' },
  )
}

/**
 * Whether a whole backup may take the place of an instance: unless the caller wants it, no version comes in by a restore
 * that `upgrade` and `setversion` would bring in with their checks.
 *
 * @throws ManagerError ERR_STATE
 */
export function checkNotNewer(
  { name, version }: Pick<InstanceVersion, 'version'> & { readonly name: string },
  saved: Pick<InstanceVersion, 'version'>,
): void {
  if (compareVersions(saved.version, version) <= 0) return
  throw new ManagerError(
    'ERR_STATE',
    `The backup is of version ${saved.version}, but "${name}" has the older version ${version}.`,
    {
      help: 'Restore it under another name (--as), or replace both application and data with --allow-newer.',
    },
  )
}

/**
 * An application that is newer than all that this manager has may need what is not here. Where there are no versions yet,
 * nothing is refused: everything is lost there but backups.
 *
 * @throws ManagerError ERR_STATE
 */
export async function checkKnown(
  { templates, registry }: Pick<ManagerContext, 'templates' | 'registry'>,
  { version }: Pick<InstanceVersion, 'version'>,
): Promise<void> {
  const versions = (await templates.list()).map((one) => one.version)
  const known = [...versions, ...registry.instances().map((instance) => instance.version)]
  if (versions.length === 0 || known.some((one) => compareVersions(one, version) >= 0)) return
  throw new ManagerError(
    'ERR_STATE',
    `The backup is of version ${version}, which is newer than all versions here (${versions.join(', ')}).`,
    { help: 'Fetch that version first (refresh), or restore with --allow-newer.', command: 'versions' },
  )
}

/** Within a version, the later template is the newer one. */
function compare(a: InstanceVersion, b: InstanceVersion): number {
  return compareVersions(a.version, b.version) || Date.parse(a.versionDate) - Date.parse(b.versionDate)
}

function textOf({ version, versionDate }: InstanceVersion): string {
  return `${version} (${versionDate.slice(0, 16).replace('T', ' ')})`
}
