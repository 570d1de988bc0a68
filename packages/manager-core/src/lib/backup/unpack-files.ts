import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SystemAccount } from '../accounts/account.js'
import { removeTree } from '../files/remove-tree.js'
import { fileError } from '../instances/file-error.js'
import type { StepRun } from '../operation/operation.js'
import type { Manifest } from './backup.js'
import { openerOf } from './encryption.js'
import { filesBase, foldersIn, needFile } from './manifest.js'
import { decryptor } from './packing/age.js'
import { bothOf } from './packing/program.js'
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

/** Unpacks the files of a verified backup, `app` and `data`, into a folder that is made anew. */
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

/** Nothing of a backup runs with the rights of its owner or group, or can be changed by every user. */
async function tameModes(folder: string): Promise<void> {
  const { execa } = await import('execa')
  await execa('chmod', ['-R', 'ugo-st,o-w', '--', folder], { stdin: 'ignore' })
}
