import { ManagerError } from '../../errors.js'
import type { Targets } from './targets.js'

/**
 * The targets that the caller named: `scp,s3`, `all` (those that are set) or `none`.
 *
 * @throws ManagerError ERR_NOT_FOUND naming those that there are; ERR_STATE for `all` when none is set
 */
export function chosenTargets(targets: Targets, text: string): readonly string[] {
  if (text === 'none') return []
  if (text === 'all' && targets.all.length === 0)
    throw new ManagerError('ERR_STATE', 'No target is set to copy the backup to.', {
      help: 'Set one in config.sh (APPS_SCP_…, APPS_S3_…, APPS_TARGETS …), or leave out --to.',
      command: 'config --all remote',
    })
  if (text === 'all') return targets.all.map(({ name }) => name)
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names)].map((name) => targets.get(name).name)
}
