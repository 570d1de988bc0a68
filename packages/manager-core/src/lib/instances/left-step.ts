import { existsSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, moveTo } from '../accounts/places.js'
import { accountAt, removeAccountFile, writeAccount } from '../accounts/account.js'
import { findAccount } from '../accounts/find-account.js'
import { give } from '../accounts/give.js'
import type { ManagerContext, Step, StepRun } from '../context.js'
import { instanceHomeAt, type Home, type InstanceHome } from '../domain/home.js'
import type { Instance } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import { createJournal, type JournalEntry } from '../store/journal.js'
import { accountNameOf, accountsInUse } from './account-step.js'
import { restoredNames, restoreWorkIn, stageIn } from './stage.js'
import { listTrash, newEntryName } from './trash.js'
import { writeRecord, type TrashFacts } from './trash-step.js'
import type { InstanceVersion } from './version-step.js'

/** What operations that need attention have left of an instance, when another one replaces all that it has. */
export type Left = {
  /** Their ids. */
  readonly operations: readonly string[]
  readonly instance: TrashFacts['instance']
  /** When the entries came into the trash. */
  readonly deleted: string
  readonly expires: string
}

/** @returns null: no operation on it needs attention */
export function leftOf(
  { registry, clock, settings }: ManagerContext,
  instance: Instance,
  { purge = false } = {},
): Left | null {
  const stuck = createJournal(registry, { clock })
    .open()
    .filter(({ state, instanceId }) => state === 'attention' && instanceId === instance.id)
  if (stuck.length === 0) return null
  const now = clock()
  const days = purge ? 0 : settings.global.trashDays
  return {
    operations: stuck.map(({ id }) => id),
    instance: { ...instance, operation: '' },
    deleted: now.toISOString(),
    expires: new Date(now.getTime() + days * 86_400_000).toISOString(),
  }
}

/** Folders that a reset or restore works in and that are there. */
export function leftFolders(home: Pick<Home, 'instances'>, operation: string): readonly string[] {
  return [stageIn(home, operation), restoreWorkIn(home, operation)].filter((folder) => existsSync(folder))
}

/**
 * Moves what they left to the trash, after all that may fail. What was replaced stays there as long as what is replaced
 * now; what never went live has expired, and the next purge removes it with its database. Nothing is removed here.
 */
export function leftStep(left: Left): Step {
  return {
    id: 'left',
    title: 'Move the remains of earlier operations to the trash',
    pointOfNoReturn: true,
    async do(run) {
      const journal = createJournal(run.context.registry, { clock: run.context.clock })
      for (const id of left.operations) {
        const entry = journal.entry(id)
        if (!entry) continue
        try {
          await clear(run, left, entry, new Set(journal.steps(id).map(({ step }) => step)))
        } catch (error) {
          throw fileError(error, `Cannot move the remains to the trash: ${entry.title}`)
        }
      }
    },
    check: () => 'not-done',
  }
}

async function clear(run: StepRun, left: Left, entry: JournalEntry, begun: ReadonlySet<string>): Promise<void> {
  const { home } = run.context
  const work = instanceHomeAt(restoreWorkIn(home, entry.id))
  const old = instanceHomeAt(join(work.folder, 'old'))
  const neverLive = { ...left, expires: left.deleted }
  // Its settings are gone when the instance has its own again; while it has these, its database is the instance's.
  const isBeside = begun.has('restore-database') && !begun.has('restore-old') && !existsSync(old.settings)
  const made = isBeside ? restoredNames(entry.id, left.instance.id) : undefined
  if (wasReplaced(entry, old)) {
    const { before, kept } = entry.facts as { readonly before?: InstanceVersion; readonly kept?: object | null }
    // It was to be discarded, and nothing could have put it back any more.
    const isDiscarded = kept === null && begun.has('restore-old')
    const told = isDiscarded ? neverLive : left
    await toTrash(run, old, { ...told, instance: { ...left.instance, ...before } }, 'restore')
  }
  await toTrash(run, work, neverLive, 'restore', made)
  if (begun.has('account') || begun.has('remove-account')) await keepUnusedAccount(run, entry)
  await toTrash(run, instanceHomeAt(stageIn(home, entry.id)), neverLive, 'reset')
}

/** An account that the operation could not remove goes with the folder of what never went live. */
async function keepUnusedAccount({ context }: StepRun, { id, instanceId, facts }: JournalEntry): Promise<void> {
  const { home } = context
  const { account: left } = facts as { readonly account?: { readonly name: string } | null }
  const used = await accountsInUse(home, instanceId)
  for (const name of new Set([accountNameOf({ operation: id }), left?.name ?? ''])) {
    const account = findAccount(name)
    if (!account || used.includes(name)) continue
    const stage = stageIn(home, id)
    await makeFolder(stage, 0o700)
    await writeAccount(stage, account)
  }
}

/** A restore of data only puts a copy of the application into the trash. */
function wasReplaced({ request }: JournalEntry, old: InstanceHome): boolean {
  const { parts } = request as { readonly parts?: string }
  return existsSync(old.data) || existsSync(old.settings) || (existsSync(old.app) && parts !== 'data')
}

async function toTrash(
  { context, warn }: StepRun,
  from: InstanceHome,
  { instance, deleted, expires }: Omit<Left, 'operations'>,
  reason: TrashFacts['reason'],
  made?: TrashFacts['database'],
): Promise<void> {
  if (!existsSync(from.folder)) return
  const { home } = context
  await makeFolder(home.trash, 0o700)
  for (const folder of [from.logs, from.run]) await makeFolder(folder)
  const account = accountAt(from.folder)
  if (account) {
    await give(from.logs, account)
    // What a restore unpacked has the account of the instance, which goes with the instance only.
    if ((await accountsInUse(home, instance.id)).includes(account.name)) await removeAccountFile(from.folder)
  }
  const database = await databaseOf(context, from, instance, made)
  await writeRecord(from.folder, { format: 1, reason, deleted, expires, instance, database })
  const entry = newEntryName(home, instance, new Date(deleted))
  await moveTo(from.folder, join(home.trash, entry))
  if (expires > deleted) warn(`The contents that an earlier operation replaced are in the trash: ${entry}.`)
}

/**
 * Name and user of the database that goes with a folder; empty: none does.
 *
 * @param made what it is when the folder has no settings
 */
async function databaseOf(
  context: ManagerContext,
  { folder, settings, data }: InstanceHome,
  { id, database }: TrashFacts['instance'],
  made: TrashFacts['database'] | undefined,
): Promise<TrashFacts['database']> {
  const live = context.home.instance(id)
  const trash = (await listTrash(context.home)).filter(({ instance }) => instance.id === id)
  if (database === 'sqlite') {
    // An embedded database needs no other settings.
    const sources = [live, ...trash.map((entry) => instanceHomeAt(entry.folder))]
    const source = sources.find((other) => existsSync(other.settings))
    if (source && existsSync(data) && !existsSync(settings)) await copyFile(source.settings, settings)
    return context.databases.names(database, id)
  }
  const own = (await namesIn(context, folder)) ?? made
  if (!own) return { name: '', user: '' }
  const used = [(await namesIn(context, live.folder))?.name, ...trash.map((entry) => entry.database.name)]
  if (!used.includes(own.name)) return own
  // The instance that has the database has its settings, and is the only one that drops it.
  await rm(settings, { force: true })
  return { name: '', user: '' }
}

/** undefined: it has no settings that can be read. */
async function namesIn(context: ManagerContext, folder: string): Promise<TrashFacts['database'] | undefined> {
  if (!existsSync(instanceHomeAt(folder).settings)) return undefined
  return context.settings.instance(folder).then(
    ({ databaseName: name, databaseUser: user }) => ({ name, user }),
    () => undefined,
  )
}
