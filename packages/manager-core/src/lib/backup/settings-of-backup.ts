import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { ManagerContext } from '../context.js'
import { foreignSettings, type ForeignSettings } from '../settings/foreign-settings.js'
import { parseInstanceSettings } from '../settings/parse-instance-settings.js'
import { readShellSettings } from '../settings/read-shell-settings.js'
import type { InstanceSettings } from '../settings/settings.js'
import type { Manifest } from './backup.js'
import { checkSecrets, needFile, settingsBase } from './manifest.js'
import { readContent } from './read-content.js'

type Context = Pick<ManagerContext, 'settings'>

/**
 * The settings that an instance had when this manager wrote a restore point into its home, where nothing else writes, with
 * its passwords; undefined: it was written without.
 *
 * @param backup folder of the restore point
 * @throws ManagerError ERR_BACKUP when they cannot be read; ERR_SETTINGS
 */
export async function settingsOfPoint(
  backup: string,
  manifest: Manifest,
  context: Context,
): Promise<InstanceSettings | undefined> {
  if (!manifest.secrets) return undefined
  const { text, shown } = await readSettings(backup, manifest, context)
  return parseInstanceSettings(text, shown)
}

/**
 * What an instance may get of the settings in a backup, with their passwords; undefined: it was saved without. Someone
 * who can write where backups are kept may have written them.
 *
 * @param backup folder of the backup
 * @throws ManagerError ERR_BACKUP when they cannot be read or decrypted, or are not encrypted; ERR_SETTINGS
 */
export async function settingsOfBackup(
  backup: string,
  manifest: Manifest,
  context: Context,
): Promise<ForeignSettings | undefined> {
  if (!manifest.secrets) return undefined
  checkSecrets(manifest)
  const { text, shown } = await readSettings(backup, manifest, context)
  return foreignSettings(readShellSettings(text, { file: shown }), shown, context.settings)
}

async function readSettings(backup: string, manifest: Manifest, context: Context) {
  const file = needFile(manifest, settingsBase)
  const pieces: Buffer[] = []
  const sink = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      done()
    },
  })
  await readContent(context, { backup, manifest, file }, [sink])
  return { text: Buffer.concat(pieces).toString(), shown: join(backup, file.name) }
}
