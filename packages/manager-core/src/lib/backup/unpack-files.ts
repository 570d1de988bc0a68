import { chmod, chown } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import type { SystemAccount } from '../accounts/account.js'
import { give } from '../accounts/give.js'
import { bothOf } from '../accounts/program.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { ManagerContext } from '../context.js'
import { fileError } from '../files/file-error.js'
import type { StreamOptions } from '../files/stream-options.js'
import type { Manifest } from './backup.js'
import { openerOf } from './encryption.js'
import { foldersIn, needFile } from './manifest.js'
import { decryptor } from './packing/age.js'
import { checkUnpacked } from './packing/check-unpacked.js'
import { packingTools } from './packing/tools.js'
import { unpackByPrograms, unpackInto } from './packing/unpack.js'
import { readContent } from './read-content.js'

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
 * Unpacks a tar of a verified backup into a new folder, as the account, whose the files are then. The folder itself is the
 * manager's when this resolves, and holds nothing but folders, with files, folders and links in them.
 *
 * @throws ManagerError ERR_BACKUP when something else comes out of it
 */
export async function unpackFiles(
  context: Pick<ManagerContext, 'settings'>,
  { backup, manifest, base, folder, account, signal, onBytes }: UnpackOptions,
): Promise<void> {
  const file = needFile(manifest, base)
  const tops = foldersIn[base] ?? []
  try {
    await removeTree(folder, account)
    await makeFolder(folder, 0o700)
    const tools = await packingTools()
    const opener = await openerOf(manifest, context.settings.global.backupEncryption)
    const decrypt = opener && (await decryptor(opener))
    // Without tar this process unpacks, in a folder that no account can enter.
    const writer = tools.tar === undefined ? undefined : account
    if (writer) await chown(folder, writer.uid, writer.gid)
    if (tools.tar !== undefined && tools.zstd !== undefined && (decrypt === undefined || 'command' in decrypt))
      await unpackByPrograms(join(backup, file.name), {
        folder,
        tops,
        account,
        expected: { size: file.plainSize, sha256: file.plainSha256 },
        decrypt: decrypt?.command,
        signal,
        onBytes,
      })
    else {
      const { sink, done } = await unpackInto({ folder, tops, account })
      await bothOf(readContent(context, { backup, manifest, file, signal, onBytes }, [sink]), done)
    }
    await takeBack(folder)
    const found = await checkUnpacked(folder, tops)
    if (account && !writer) for (const top of found) await give(join(folder, top), account)
  } catch (error) {
    throw fileError(error, `Cannot unpack the backup into ${folder}`)
  }
}

/** From now on no account can put anything into it, nor enter it. */
async function takeBack(folder: string): Promise<void> {
  await chown(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
  await chmod(folder, 0o700)
}
