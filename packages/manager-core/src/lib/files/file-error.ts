import { ManagerError } from '../../errors.js'

/** A failure of the file system in the words of people; others stay as they are. `attempt` has no last full stop. */
export function fileError(error: unknown, attempt: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (ManagerError.is(error) || typeof code !== 'string' || code === 'ABORT_ERR') return error
  const say = (text: string, help: string) =>
    new ManagerError('ERR_FAILED', `${attempt}: ${text}.`, { cause: error, help })
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new ManagerError('ERR_DISK', `${attempt}: the disk is full.`, {
        cause: error,
        help: 'Free disk space: remove old backups, or what was deleted before today (manager purge --all --days 1).',
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return say('permission denied', 'Check that the manager owns its home, and check the permissions of the folder.')
    case 'EBUSY':
      return say('a disk is mounted there, or a program uses it', 'Unmount it, or end the program.')
    case 'EXDEV':
      return say('it is on another file system', 'The home and all folders in it must be on one file system.')
    default:
      return say(message, 'Check the system log.')
  }
}
