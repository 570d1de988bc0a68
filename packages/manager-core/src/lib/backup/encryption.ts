import { readFile } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import { Secret } from '../domain/secret.js'
import type { BackupEncryptionSettings } from '../settings/settings.js'
import type { Manifest } from './backup.js'
import { createSeal, linesOf, plainRecipient, type Opener, type Seal } from './packing/age.js'

/**
 * How a backup is encrypted that is made now; undefined: it is not. Recipients come before the passphrase, which opens
 * older ones then.
 *
 * @param files see `createSeal`
 * @throws ManagerError ERR_SETTINGS
 */
export async function sealOf(settings: BackupEncryptionSettings, files: number): Promise<Seal | undefined> {
  const { passphrase } = settings
  const recipients = await recipientsOf(settings)
  if (recipients.length > 0) return createSeal({ recipients }, files)
  return passphrase && createSeal({ passphrase }, files)
}

export function isEncrypting({ recipients = [], passphrase }: BackupEncryptionSettings): boolean {
  return recipients.length > 0 || passphrase !== undefined
}

async function recipientsOf({ recipients: given = [] }: BackupEncryptionSettings): Promise<readonly string[]> {
  const [file] = given
  const isFile = file?.startsWith('/') && given.length === 1
  const recipients = isFile ? linesOf(await read(file as string, 'APPS_BACKUP_RECIPIENTS')) : given
  const refuse = (why: string) => {
    throw new ManagerError('ERR_SETTINGS', `APPS_BACKUP_RECIPIENTS${isFile ? ` (${file})` : ''} ${why}.`, {
      help:
        'Set it to public age keys (age1…, as printed by age-keygen), separated by commas, or to the path of a file ' +
        'of them.',
    })
  }
  if (isFile && recipients.length === 0) refuse('holds no key')
  const { Encrypter } = await import('age-encryption')
  for (const recipient of recipients)
    try {
      if (!plainRecipient.test(recipient) && !recipient.startsWith('age1pq1')) throw new Error('of another kind')
      new Encrypter().addRecipient(recipient)
    } catch {
      refuse(`has ${JSON.stringify(shown(recipient))}, which is not a public age key`)
    }
  if (new Set(recipients.map((recipient) => plainRecipient.test(recipient))).size > 1)
    refuse('mixes keys of both kinds, age1… and age1pq1…')
  return recipients
}

/** A secret key that was put there by mistake is not shown. */
function shown(recipient: string): string {
  if (!recipient.startsWith('age1')) return `${recipient.slice(0, 4)}…`
  return recipient.length > 80 ? `${recipient.slice(0, 80)}…` : recipient
}

/**
 * What opens the files of a backup; undefined: they are not encrypted.
 *
 * @throws ManagerError ERR_BACKUP naming the setting that is missing, ERR_SETTINGS when its file cannot be read.
 */
export async function openerOf(
  { encryption, id }: Pick<Manifest, 'encryption' | 'id'>,
  { passphrase, identityFile }: BackupEncryptionSettings,
): Promise<Opener | undefined> {
  if (!encryption) return undefined
  const missing = (what: string, help: string) =>
    new ManagerError('ERR_BACKUP', `The backup ${id} is encrypted, and ${what} is not set.`, { help })
  if (encryption.recipients) {
    if (identityFile === undefined)
      throw missing(
        'APPS_BACKUP_IDENTITY',
        `Set it to a file with the secret key of ${encryption.recipients.join(' or ')}.`,
      )
    return { identities: new Secret(await read(identityFile, 'APPS_BACKUP_IDENTITY')) }
  }
  if (passphrase === undefined) throw missing('APPS_BACKUP_PASSPHRASE', 'Set it to the passphrase of the backup.')
  return { passphrase }
}

async function read(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new ManagerError(
      'ERR_SETTINGS',
      `${variable} names a file that cannot be read: ${(error as Error).message}.`,
      {
        cause: error,
      },
    )
  }
}
