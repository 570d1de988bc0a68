import type { Targets } from './targets.js'

/**
 * The targets that somebody named: `scp,s3`, `all` (those that are set; there may be none) or `none`.
 *
 * @throws ManagerError ERR_NOT_FOUND naming those that there are
 */
export function chosenTargets(targets: Targets, text: string): readonly string[] {
  if (text === 'none') return []
  if (text === 'all') return targets.all.map(({ name }) => name)
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names)].map((name) => targets.get(name).name)
}
