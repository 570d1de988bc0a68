import type { ManagerContext } from '../../context.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { faultOf } from './read-object.js'
import { damagedCopy, rememberCopy, type RemoteBackup } from './remote-backup.js'

/**
 * Reads every byte of a copy back, and remembers what came out.
 *
 * @param options `onBytes` is called with stored bytes
 * @returns when, ISO 8601
 * @throws ManagerError ERR_BACKUP naming the file that is wrong, ERR_TARGET when it cannot be read
 */
export function verifyCopy(
  context: Pick<ManagerContext, 'targets' | 'settings' | 'clock'>,
  { target, key, manifest, stored }: RemoteBackup,
  { signal, onBytes }: StreamOptions = {},
): Promise<string> {
  return context.targets.use(target, async (opened) => {
    const verified = context.clock().toISOString()
    let before = 0
    for (const file of manifest.files) {
      const tell = (bytes: number) => onBytes?.(before + bytes)
      const fault = await faultOf(opened, key, file, { depth: 'bytes', signal, onBytes: tell })
      if (fault !== undefined) {
        const error = damagedCopy(target, key, file.name, fault)
        await rememberCopy(context, { key, manifest }, target, { at: stored, verified, damage: error.message })
        throw error
      }
      before += file.size
    }
    await rememberCopy(context, { key, manifest }, target, { at: stored, verified })
    return verified
  })
}
