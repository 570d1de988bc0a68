import { statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Called by root, commands run as the account that the home belongs to: what root would make in it could not be changed or
 * removed by the server any more, nor by the account itself.
 */
export function actAsOwner(home: string, env: NodeJS.ProcessEnv = process.env): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(join(home, 'config.sh'), { throwIfNoEntry: false })
  if (!owner || owner.uid === 0) return
  // Not in the types of Node; the account may be in groups that may read keys.
  const { initgroups } = process as { initgroups?: (user: number, extra: number) => void }
  initgroups?.(owner.uid, owner.gid)
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
  // Programs that it runs look for files of their own there, and could not enter root's.
  env.HOME = home
}
