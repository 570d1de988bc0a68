import { ManagerError } from '../../errors.js'
import type { Action, ActionCall, ActionResult, Option } from '../action.js'
import type { Backup, Backups } from '../backup/backup.js'
import { checkLoadable, verifyKind } from '../backup/load-backup.js'
import { findCopy, listCopies } from '../backup/copies/list-copies.js'
import { rememberedCopies } from '../backup/copies/remembered-copies.js'
import { verifyCopy } from '../backup/copies/verify-copy.js'
import { plainBytes, storedBytes } from '../backup/manifest.js'
import { wireBackup, wireCopy, type WireBackup } from '../backup/wire-backup.js'
import type { ManagerContext } from '../context.js'
import { randomId } from '../domain/names.js'
import { countText } from '../domain/readable.js'
import { checksaves } from './check-saves.js'
import { backupsExport, backupsFetch } from './copies.js'
import { defineAction, type CallOf } from './define-action.js'
import { download } from './download.js'
import { prove } from './prove.js'
import { backupsPrune } from './prune.js'
import { restore } from './restore.js'
import { save, saveall } from './save.js'
import { atTarget, nameOfBackup, whichBackup } from './shared-inputs.js'

const backups = defineAction({
  name: 'backups list',
  aliases: ['backups'],
  group: 'Backups',
  summary: 'List backups, latest first',
  description:
    'Includes backups of deleted instances, which restore can create again. Backups belong to an instance, even ' +
    'if it had another name when they were made. --at lists the backups at a target, including those that ' +
    'another manager stored there.',
  parameters: [{ name: 'name', type: 'text', summary: 'Name of an instance, existing or deleted (default: all)' }],
  options: [atTarget],
  ability: 'read',
  mutating: false,
  scoped: true,
  examples: ['backups list', 'backups demo', 'backups demo --json', 'backups list demo --at scp'],
  view: {
    type: 'table',
    columns: ['name', 'backup', 'saved', 'version', 'size', 'database', 'verified', 'proved', 'copies', 'damage'],
    optional: ['proved', 'copies', 'damage'],
    empty: 'There are no backups.',
  },
  async handler({ context, input, caller }) {
    const target = allowedTarget(input.at, caller)
    const filter = input.name === undefined ? {} : { name: input.name }
    const {
      list,
      problems,
      more = '',
    } = target === undefined ? await here(context, filter, caller) : await away(target)
    return {
      message: `${countText(list.length, 'backup')}${target === undefined ? '' : ` at "${target}"`}${more}.`,
      list,
      ...(problems.length > 0 && { warnings: problems }),
    }

    async function away(name: string): Promise<Listed> {
      const found = await listCopies(context, name, { ...filter, signal: caller.signal })
      return { list: found.backups.map(wireCopy), problems: found.damaged.map(({ error }) => error.message) }
    }
  },
})

interface Listed {
  readonly list: readonly WireBackup[]
  readonly problems: readonly string[]
  /** What else there is, in words that follow their number. */
  readonly more?: string
}

/** @throws ManagerError ERR_ACCESS: at targets are backups of all instances */
function allowedTarget(target: string | undefined, caller: ActionCall['caller']): string | undefined {
  if (target === undefined || caller.grant.scope.all) return target
  throw new ManagerError('ERR_ACCESS', 'Your access is limited to some instances, so you may only use local backups.')
}

async function here(
  context: ManagerContext,
  filter: { readonly name?: string },
  { grant }: ActionCall['caller'],
): Promise<Listed> {
  const { backups: local } = context
  const [list, damaged, remembered] = await Promise.all([
    local.list(filter),
    local.damaged(filter),
    grant.scope.all ? rememberedCopies(context, filter.name) : [],
  ])
  const others = filter.name === undefined ? 0 : await othersOf(local, filter.name, list)
  const targets = new Set(remembered.flatMap(({ copies }) => Object.keys(copies)))
  return {
    list: list.map(wireBackup),
    problems: damaged.map(({ message }) => message),
    more: [
      ...(remembered.length > 0 ? [`; ${remembered.length} more only at ${[...targets].join(', ')} (--at)`] : []),
      ...(others > 0 ? [`; ${others} under this name belong to another instance (see: backups list)`] : []),
    ].join(''),
  }
}

/** How many were saved under the name by instances that do not have it any more. */
async function othersOf(local: Backups, name: string, own: readonly Backup[]): Promise<number> {
  const keys = new Set(own.map(({ key }) => key))
  return (await local.list({ savedAs: name })).filter(({ key }) => !keys.has(key)).length
}

const deep = {
  name: 'deep',
  type: 'flag',
  summary: 'Also decrypt it, read its contents, and load its database; not with --at',
} as const satisfies Option

const verify = defineAction({
  name: 'backups verify',
  aliases: ['verify'],
  group: 'Backups',
  summary: 'Verify a backup: read every byte and compare its hashes',
  description:
    'The result is stored and shown by backups list. --deep also decrypts the backup, reads all its files without ' +
    'writing them anywhere, and loads its database into a temporary one of the same type, which is removed again; where ' +
    'that is not possible, a warning says why. prove also starts it. --at verifies the copy at a target; to replace a damaged copy, use backups export.',
  parameters: [nameOfBackup, whichBackup],
  options: [deep, atTarget],
  ability: 'operate',
  mutating: false,
  changesOutside: ({ deep: loads }) => loads === true,
  scoped: true,
  examples: ['backups verify demo', 'backups verify demo 20261121T030000Z --deep', 'backups verify demo --at scp'],
  view: { type: 'text' },
  handler(call) {
    const target = allowedTarget(call.input.at, call.caller)
    if (target === undefined) return verifyHere(call)
    if (!call.input.deep) return verifyAway(call, target)
    throw new ManagerError(
      'ERR_USAGE',
      '--deep works with local backups only; copies at targets are compared byte by byte.',
      {
        command: `backups fetch ${call.input.name} --from ${target}`,
      },
    )
  },
})

type VerifyCall = CallOf<typeof nameOfBackup | typeof whichBackup | typeof deep>

async function verifyHere({ context, input, caller }: VerifyCall): Promise<ActionResult> {
  const backup = await context.backups.find(input.name, input.backup ?? 'latest')
  const of = (input.deep ? plainBytes : storedBytes)(backup.manifest.files)
  const { depth, note } = await context.backups.verify(backup, {
    deep: input.deep,
    signal: caller.signal,
    onBytes: (bytes) => caller.onEvent?.({ type: 'progress', step: 'verify', text: 'Read the backup', bytes, of }),
  })
  const loaded = depth === 'contents' ? await loadDatabase(context, backup, caller) : undefined
  const warnings = [note, loaded?.whyNot].filter((text) => text !== undefined)
  const what =
    loaded === undefined
      ? 'every byte was read'
      : loaded.whyNot === undefined
        ? 'everything in it was read, and its database was loaded and has the rows that were backed up'
        : 'everything in it was read, but its database was not loaded'
  return {
    message: `The backup ${backup.key} is good: ${what}.`,
    item: wireBackup(await context.backups.find(input.name, backup.key)),
    ...(warnings.length > 0 && { warnings }),
  }
}

/**
 * Whether its dump can be loaded, by doing so.
 *
 * @returns why there is no database here to load it into, in one sentence; without: it was loaded
 * @throws ManagerError what the database refuses, or ERR_BACKUP: its rows are others
 */
async function loadDatabase(
  context: ManagerContext,
  { key, folder, manifest }: Backup,
  caller: ActionCall['caller'],
): Promise<{ readonly whyNot?: string }> {
  try {
    await checkLoadable(context, manifest)
  } catch (error) {
    if (!ManagerError.is(error) || error.code === 'ERR_BACKUP') throw error
    return { whyNot: `Its database was not loaded into a temporary one: ${error.message}` }
  }
  const instance = context.registry.byId(manifest.instance.id)?.id ?? ''
  await context.operations.run(verifyKind, { id: randomId(), backup: folder, key, instance }, caller)
  return {}
}

async function verifyAway({ context, input, caller }: VerifyCall, target: string): Promise<ActionResult> {
  const { signal } = caller
  const copy = await findCopy(context, input.name, { target, backup: input.backup ?? 'latest' }, { signal })
  const of = storedBytes(copy.manifest.files)
  const verified = await verifyCopy(context, copy, {
    signal,
    onBytes: (bytes) => caller.onEvent?.({ type: 'progress', step: 'verify', text: `Read at ${target}`, bytes, of }),
  })
  return {
    message: `The backup ${copy.key} at "${target}" is good: every byte was read back.`,
    item: wireCopy({ ...copy, verified, damage: undefined }),
  }
}

export const backupActions: readonly Action[] = [
  save,
  saveall,
  backups,
  verify,
  backupsFetch,
  backupsExport,
  backupsPrune,
  checksaves,
  prove,
  restore,
  download,
]
