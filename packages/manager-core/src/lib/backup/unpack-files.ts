import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SystemAccount } from '../accounts/account.js'
import { bothOf } from '../accounts/program.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { StepRun } from '../context.js'
import { fileError } from '../files/file-error.js'
import type { Manifest } from './backup.js'
import { openerOf } from './encryption.js'
import { filesBase, foldersIn, needFile } from './manifest.js'
import { decryptor } from './packing/age.js'
import { packingTools } from './packing/tools.js'
import { unpackByPrograms, unpackInto } from './packing/unpack.js'
import { readContent } from './read-content.js'

export interface UnpackOptions {
  readonly backup: string
  readonly manifest: Manifest
  readonly folder: string
  /** Whose files may be there from an attempt that was cut off. */
  readonly account?: SystemAccount | undefined
}

/** Unpacks the files of a verified backup, `app` and `data`, into a new folder. */
export async function unpackFiles(run: StepRun, { backup, manifest, folder, account }: UnpackOptions): Promise<void> {
  const { context, signal } = run
  const file = needFile(manifest, filesBase)
  const onBytes = (bytes: number) => run.progress('Unpack the files', { bytes, of: file.plainSize })
  try {
    await removeTree(folder, account)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const tools = await packingTools()
    const opener = await openerOf(manifest, context.settings.global.backupEncryption)
    const decrypt = opener && (await decryptor(opener))
    if (tools.tar !== undefined && tools.zstd !== undefined && (decrypt === undefined || 'command' in decrypt))
      await unpackByPrograms(join(backup, file.name), decrypt?.command, folder, { signal, onBytes })
    else {
      const { sink, done } = await unpackInto(folder, foldersIn[filesBase] ?? [])
      await bothOf(readContent(context, { backup, manifest, file, signal, onBytes }, [sink]), done)
    }
    await tameModes(folder)
  } catch (error) {
    throw fileError(error, `Cannot unpack the backup into ${folder}`)
  }
}

/** Set-user-id, set-group-id, sticky, and writable by all. */
const wildModes = 0o7002

/** Nothing of a backup runs with the rights of its owner or group, or can be changed by every user. */
async function tameModes(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() && !entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await lstat(path)
    if ((mode & wildModes) !== 0) await chmod(path, mode & 0o7777 & ~wildModes)
  }
}
