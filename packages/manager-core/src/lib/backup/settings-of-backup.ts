import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { ManagerContext } from '../context.js'
import { parseInstanceSettings } from '../settings/parse-instance-settings.js'
import type { InstanceSettings } from '../settings/settings.js'
import type { Manifest } from './backup.js'
import { needFile, settingsBase } from './manifest.js'
import { readContent } from './read-content.js'

/**
 * The settings that an instance had when it was saved, with its passwords; undefined: it was saved without.
 *
 * @param backup folder of the backup
 * @throws ManagerError ERR_BACKUP when they cannot be read or decrypted; ERR_SETTINGS
 */
export async function settingsOfBackup(
  backup: string,
  manifest: Manifest,
  context: Pick<ManagerContext, 'settings'>,
): Promise<InstanceSettings | undefined> {
  if (!manifest.secrets) return undefined
  const file = needFile(manifest, settingsBase)
  const pieces: Buffer[] = []
  const sink = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      done()
    },
  })
  await readContent(context, { backup, manifest, file }, [sink])
  return parseInstanceSettings(Buffer.concat(pieces).toString(), join(backup, file.name))
}
