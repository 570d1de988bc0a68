import { chmod, chown } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import type { SystemAccount } from '../accounts/account.js'
import { give } from '../accounts/give.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { ManagerContext } from '../context.js'
import { ManagerError } from '../../errors.js'
import { fileError } from '../files/file-error.js'
import type { StreamOptions } from '../files/stream-options.js'
import type { Manifest } from './backup.js'
import { openerOf } from './encryption.js'
import { foldersIn, needFile } from './manifest.js'
import { checkUnpacked } from './packing/check-unpacked.js'
import { packingTools } from './packing/tools.js'
import { rememberingDamage } from './remembering-damage.js'
import { verifyFile } from './verify-backup.js'

export interface UnpackOptions extends StreamOptions {
  /** Folder of the backup. */
  readonly backup: string
  readonly manifest: Pick<Manifest, 'id' | 'encryption' | 'files'>
  /** Which tar of it, see `foldersIn`. */
  readonly base: string
  /** It is made; one that is there is removed. Only the manager can make or replace anything in the folder that it lies in. */
  readonly folder: string
  /** Whose the files will be, and are from an attempt that was interrupted. */
  readonly account?: SystemAccount | undefined
}

/**
 * Unpacks a tar of a backup into a new folder, as the account, whose the files are then, and verifies it meanwhile. The
 * folder itself is the manager's when this resolves, and holds nothing but folders, with files, folders and links in them.
 *
 * @throws ManagerError ERR_BACKUP also when something else comes out of it; what was unpacked is not to be used then
 */
export async function unpackFiles(
  context: Pick<ManagerContext, 'settings' | 'clock'>,
  { backup, manifest, base, folder, account, signal, onBytes }: UnpackOptions,
): Promise<void> {
  const { name, ...expected } = needFile(manifest, base)
  const tops = foldersIn[base] ?? []
  const opener = await openerOf(manifest, context.settings.global.backupEncryption)
  const reading = { tar: { tops }, limit: expected.plainSize, opener, end: Promise.resolve(expected), signal }
  try {
    await removeTree(folder, account)
    await makeFolder(folder, 0o700)
    // Without tar this process unpacks, in a folder that no account can enter or disturb.
    const byPrograms = (await packingTools()).tar !== undefined
    const writer = byPrograms ? account : undefined
    if (writer) await chown(folder, writer.uid, writer.gid)
    try {
      const into = { folder, account: writer }
      await verifyFile(backup, name, { ...reading, onBytes, into })
    } catch (error) {
      signal?.throwIfAborted()
      // An account can disturb the programs that run as it: whether the backup is damaged is found out without them.
      await rememberingDamage({ folder: backup, clock: context.clock }, () => verifyFile(backup, name, reading))
      throw byPrograms && isOfContent(error) ? disturbed(join(backup, name), account, error) : error
    }
    await takeBack(folder)
    const found = await checkUnpacked(folder, tops)
    if (account && !writer) for (const top of found) await give(join(folder, top), account)
  } catch (error) {
    throw fileError(error, `Cannot unpack the backup into ${folder}`)
  }
}

/** What was read was not right, which the disk is no reason for. */
function isOfContent(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  if (ManagerError.is(error)) return error.code === 'ERR_BACKUP'
  return code === undefined && !/no space left|quota exceeded/i.test(message)
}

/** What was unpacked is not what was read a second time. */
function disturbed(path: string, account: SystemAccount | undefined, cause: unknown): ManagerError {
  const who = account ? ` as the account "${account.name}"` : ''
  const text = `${path} is good, but the programs that unpacked it${who} failed or were disturbed: ${(cause as Error).message}`
  return new ManagerError('ERR_FAILED', text, {
    cause,
    help: 'Nothing was changed. Stop all processes of the instance, then try again.',
  })
}

/** From now on no account can put anything into it, nor enter it. */
async function takeBack(folder: string): Promise<void> {
  await chown(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
  await chmod(folder, 0o700)
}
