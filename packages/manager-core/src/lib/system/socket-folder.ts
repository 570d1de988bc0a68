import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of the machine for the sockets of all managers; a test has another one. */
const root = '/run/steward'

export interface SocketFolderOptions {
  readonly onProblem?: (message: string) => void
  readonly parent?: string
}

/**
 * Folder for the sockets of a home, or of an instance's home, that the reverse proxy connects to: only root can put one there,
 * whereas any user can take a port that is free for a moment. Undefined: the manager is not root, whose instances are its own
 * user's anyway, or the folder cannot be used, which is reported: ports are used then.
 */
export function socketFolder(home: string, { onProblem, parent = root }: SocketFolderOptions = {}): string | undefined {
  if (!mayHaveSockets()) return undefined
  const folder = socketFolderOf(home, parent)
  try {
    for (const each of [parent, folder]) {
      mkdirSync(each, { recursive: true })
      const stats = lstatSync(each)
      if (stats.uid !== 0 || !stats.isDirectory())
        throw new Error(`${each} does not belong to root, or is not a folder`)
      // Whatever the umask: workers of the reverse proxy pass, and only root changes it.
      chmodSync(each, 0o711)
    }
    return folder
  } catch (error) {
    onProblem?.(
      `The reverse proxy connects to ports, which other users can take while the server restarts: ${(error as Error).message}.`,
    )
    return undefined
  }
}

/** Where that folder is, or would be. */
export function socketFolderOf(home: string, parent = root): string {
  return join(parent, createHash('sha256').update(home).digest('hex').slice(0, 16))
}

export function mayHaveSockets(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0
}

/** Another server of the home may have its own there. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or has been removed.
  }
}
