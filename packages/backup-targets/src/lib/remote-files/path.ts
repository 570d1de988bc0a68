import { TargetError } from '../target-error.js'

/**
 * The folder of a server that a setting names, without `/` at its end; `.` is the one after log-in.
 *
 * @throws TargetError ERR_TARGET_SETTINGS
 */
export function remoteFolder(path = ''): string {
  // oxlint-disable-next-line no-control-regex -- that is what is refused
  if (/[\0-\x1f\x7f]/.test(path))
    throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(path)} is no path of a folder.`)
  if (/^\/+$/.test(path)) return '/'
  return path.replace(/^~(?:\/+|$)/, '').replace(/\/+$/, '') || '.'
}

/** Names a folder that must be there: it is never made, so that nothing is written beside a disk that is not mounted. */
export function noFolder(path: string, server: string): TargetError {
  return new TargetError('ERR_TARGET_SETTINGS', `There is no folder ${JSON.stringify(path)} on ${server}.`, {
    help: 'Make it there, or mount the disk that it is on.',
  })
}
