import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { SystemAccount } from '../../accounts/account.js'
import { foreignKind } from '../../accounts/foreign.js'
import { runFilter, type Command, type ExitCodes } from '../../accounts/program.js'
import { packInNode, sourceIn } from './pack-in-node.js'
import { packingTools } from './tools.js'

export interface PackOptions {
  /** Absolute. */
  readonly folder: string
  /** Files and folders in it, by their relative paths. */
  readonly entries: readonly string[]
  /** Relative paths that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Owner of the files: others are not packed. Default: any owner. */
  readonly account?: SystemAccount | undefined
}

export interface Packing {
  readonly content: Readable
  /** The content is good only when this resolves, with files that changed while they were read. */
  readonly done: Promise<{ readonly codes: ExitCodes; readonly changes: readonly string[] }>
}

/** A tar in posix format, sorted, with numeric owners: by GNU tar when it is there, else by Node. */
export async function packFolder({ folder, entries, without = [], account }: PackOptions): Promise<Packing> {
  if ((await packingTools()).tar === undefined) {
    const left = new Set(without.map((path) => join(folder, path)))
    const of = sourceIn(folder, account)
    const inputs = entries.map((entry) => ({ source: join(folder, entry), target: entry, ...of }))
    const { content, done } = packInNode(inputs, { isLeftOut: (path) => left.has(path) })
    return { content, done: done.then((changes) => ({ codes: {}, changes })) }
  }
  const filter = runFilter([tarCommand({ folder, entries, without, account })])
  filter.input.end()
  return {
    content: filter.output,
    done: filter.done.then((codes) => ({
      codes,
      changes: codes['tar'] === 1 ? changesOf(filter.errors(), folder) : [],
    })),
  }
}

/** GNU tar ends with 1 when a file changed while it was read, with 2 when it could not read one. */
export function tarCommand(
  { folder, entries, without = [], account }: PackOptions,
  flags: readonly string[] = [],
): Command {
  return {
    command: 'tar',
    account,
    args: [
      '--create',
      '--format=posix',
      '--sort=name',
      '--numeric-owner',
      '--pax-option=delete=atime,delete=ctime',
      '--anchored',
      '--no-wildcards',
      ...without.map((path) => `--exclude=${path}`),
      ...flags,
      `--directory=${folder}`,
      '--',
      ...entries,
    ],
    accepted: [0, 1],
  }
}

/** Folders do not count: SQLite and others put files into them for a moment, which are no part of the backup. */
export function changesOf(errors: string, folder: string): readonly string[] {
  return errors.split('\n').flatMap((line) => {
    const [, path, what] = /^tar: (.*): ([^:]*)$/.exec(line) ?? []
    if (path === undefined) return [line]
    const isFolder = foreignKind(join(folder, path)) === 'folder'
    return isFolder ? [] : [`${path}: ${what}`]
  })
}
