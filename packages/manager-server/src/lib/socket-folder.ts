import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '@steward/manager-core/errors'

/** Folder of the machine for those of all managers; a test has another one. */
const root = '/run/steward'

/**
 * Folder for the sockets that the reverse proxy connects to: only root can put one there, whereas any user can take a port
 * that is free for a moment. Undefined: the manager is not root, whose instances are its own user's anyway.
 *
 * @throws ManagerError ERR_STATE when it belongs to another user
 */
export function socketFolder(home: string, parent = root): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = join(parent, createHash('sha256').update(home).digest('hex').slice(0, 16))
  for (const each of [parent, folder]) {
    mkdirSync(each, { recursive: true })
    const { uid, mode } = lstatSync(each)
    if (uid !== 0 || (mode & 0o170000) !== 0o040000)
      throw new ManagerError('ERR_STATE', `${each} does not belong to root, or is not a folder.`, {
        help: 'Remove it, then start the server again.',
      })
    // Whatever the umask: workers of the reverse proxy pass, and only root changes it.
    chmodSync(each, 0o711)
  }
  return folder
}

/** Another server of the home may have its own there. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or has been removed.
  }
}
