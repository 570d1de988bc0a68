import { open, type FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { unpackTar } from 'modern-tar/fs'
import { ManagerError } from '../../../errors.js'
import type { SystemAccount } from '../../accounts/account.js'
import { runChain, runFilter, type Command } from '../../accounts/program.js'
import type { FileHash } from '../../files/hash-file.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { createEntryCheck } from './check-entries.js'
import { createMeasure } from './measure-by-programs.js'
import { recordFlags } from './record-flags.js'
import { packingTools } from './tools.js'
import { decompress } from './zstd.js'

export interface UnpackPlace {
  /** It belongs to the account. */
  readonly folder: string
  /** The only folders that entries may be in. */
  readonly tops: readonly string[]
  /** Whom it is unpacked as. Default: this process's user, without privileges */
  readonly account?: SystemAccount | undefined
}

export interface Unpacking {
  readonly sink: Writable
  /** All is written only when this resolves. */
  readonly done: Promise<unknown>
}

/**
 * Takes a tar that `inspectTar` lets through, and writes its entries: by GNU tar when it is there, else by Node, whose
 * files are this process's.
 */
export async function unpackInto({ folder, tops, account }: UnpackPlace): Promise<Unpacking> {
  if ((await packingTools()).tar === undefined) return unpackInNode(folder, tops)
  const filter = runFilter([extraction(folder, account)])
  filter.output.resume()
  return { sink: filter.input, done: filter.done }
}

export interface UnpackByProgramsOptions extends StreamOptions, UnpackPlace {
  /** What the tar must be. */
  readonly expected: FileHash
  /** Comes before zstd. */
  readonly decrypt?: Command | undefined
}

/**
 * The same of a compressed tar, by the programs, which must be there, and a process that passes on what `createTarReader`
 * accepts.
 *
 * @throws Error also when it is another tar than expected; what was unpacked is not to be used then
 */
export async function unpackByPrograms(
  file: string,
  { folder, tops, account, expected, decrypt, signal, onBytes }: UnpackByProgramsOptions,
): Promise<void> {
  const check = createEntryCheck(tops)
  const measure = createMeasure({ check, through: true, limit: expected.size, signal, onBytes })
  // Opened here: the account may not be able to.
  const source: FileHandle = await open(file)
  try {
    await runChain([...(decrypt ? [decrypt] : []), decompress(account), measure.command, extraction(folder, account)], {
      from: source.fd,
      signal: measure.signal,
    })
  } finally {
    await source.close()
  }
  const { plainSize, plainSha256 } = measure.result()
  if (plainSize !== expected.size || plainSha256 !== expected.sha256)
    throw new ManagerError('ERR_BACKUP', `The backup is damaged: ${file} gave other bytes than before.`)
}

/** No file gets the rights of its owner or group, nor can be changed by every user. */
const umask = 0o002

function extraction(folder: string, account: SystemAccount | undefined): Command {
  return {
    command: 'tar',
    args: ['--extract', '--no-same-owner', '--no-same-permissions', ...recordFlags],
    account,
    withoutPrivileges: true,
    cwd: folder,
    umask,
  }
}

function unpackInNode(folder: string, tops: readonly string[]): Unpacking {
  const check = createEntryCheck(tops)
  const sink = unpackTar(folder, {
    strict: true,
    maxDepth: Infinity,
    filter: ({ type, ...header }) => {
      check({ ...header, type: type as 'file' })
      // It would be unpacked under another name.
      if (/\\|^[A-Za-z]:/.test(header.name))
        throw new ManagerError(
          'ERR_BACKUP',
          `"${header.name}" can only be unpacked by GNU tar, which is not installed.`,
        )
      return true
    },
    map: (header) => ({ ...header, ...(header.mode !== undefined && { mode: header.mode & 0o777 & ~umask }) }),
  })
  return { sink, done: Promise.resolve() }
}
