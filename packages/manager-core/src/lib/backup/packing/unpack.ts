import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { unpackTar } from 'modern-tar/fs'
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
export async function unpackInto({ folder, account }: UnpackPlace, tar: TarContents): Promise<Unpacking> {
  if ((await packingTools()).tar === undefined) return unpackInNode(folder, tar)
  const filter = runFilter([extraction({ folder, account })])
  filter.output.resume()
  return { sink: filter.input, done: filter.done }
}

/**
 * For what `createTarReader` and `createEntryCheck` let through, so that no file runs with the rights of its owner.
 * `checkUnpacked` follows.
 */
export function extraction({ folder, account }: UnpackPlace): Command {
  return {
    command: 'tar',
    args: ['--extract', '--no-same-owner', '--same-permissions', ...recordFlags],
    account,
    withoutPrivileges: true,
    cwd: folder,
  }
}

function unpackInNode(folder: string, { tops }: TarContents): Unpacking {
  const check = createEntryCheck({ tops, plainNames: true })
  const modes = new Map<string, number>()
  const sink = unpackTar(folder, {
    strict: true,
    maxDepth: Infinity,
    filter: ({ type, ...header }) => {
      const { name, mode = 0 } = header
      check({ ...header, type: type as 'file' })
      // Folders are made without it.
      if (type === 'directory' && (mode & 0o2000) !== 0) modes.set(join(folder, name), mode & 0o2777)
      return true
    },
    map: (header) => ({ ...header, ...(header.mode !== undefined && { mode: header.mode & 0o777 }) }),
  })
  const done = finished(sink).then(async () => {
    for (const [path, mode] of modes) await chmod(path, mode)
  })
  done.catch(() => undefined)
  return { sink, done }
}
