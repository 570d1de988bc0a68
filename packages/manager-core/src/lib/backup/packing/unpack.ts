import type { Writable } from 'node:stream'
import { unpackTar } from 'modern-tar/fs'
import { ManagerError } from '../../../errors.js'
import { runFilter, type Command } from '../../accounts/program.js'
import { createEntryCheck } from './check-entries.js'
import type { TarContents, UnpackPlace } from './read-options.js'
import { recordFlags } from './record-flags.js'
import { packingTools } from './tools.js'

export interface Unpacking {
  readonly sink: Writable
  /** All is written only when this resolves. */
  readonly done: Promise<unknown>
}

/**
 * Takes a tar that `inspectTar` lets through, and writes its entries: by GNU tar when it is there, else by Node, whose
 * files are this process's.
 */
export async function unpackInto({ folder, account }: UnpackPlace, { tops }: TarContents): Promise<Unpacking> {
  if ((await packingTools()).tar === undefined) return unpackInNode(folder, tops)
  const filter = runFilter([extraction({ folder, account })])
  filter.output.resume()
  return { sink: filter.input, done: filter.done }
}

/** No file gets the rights of its owner or group, nor can be changed by every user. */
const umask = 0o002

/** For what `createTarReader` let through. */
export function extraction({ folder, account }: UnpackPlace): Command {
  return {
    command: 'tar',
    args: ['--extract', '--no-same-owner', '--no-same-permissions', ...recordFlags],
    account,
    withoutPrivileges: true,
    cwd: folder,
    umask,
  }
}

function unpackInNode(folder: string, tops: readonly string[] | undefined): Unpacking {
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
