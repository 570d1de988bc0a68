import { chownSync, copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { writeEntry } from '../history/write-entry.js'
import { forgetWork } from '../store/forget-work.js'
import { openRegistry, type Registry } from '../store/registry.js'
import { faultOf, listCopies } from '../store/registry-copies.js'
import type { Lock } from '../system/locks.js'
import { openedBy } from './opened-by.js'
import { readDisk } from './read-disk.js'
import { reconcile, type Reconciled } from './reconcile.js'

export interface RebuildReport {
  readonly message: string
  readonly warnings: readonly string[]
  /** Instances, by name. */
  readonly instances: readonly Omit<Reconciled, 'row'>[]
}

/** What a new registry begins with. */
interface Base {
  /** `now`: it is the registry itself. */
  readonly at: string | 'now' | undefined
  readonly warnings: readonly string[]
}

/**
 * Brings a registry back that is lost or damaged: the newest copy that is whole, in step with what the disk says. What was
 * there is kept aside. A registry that is whole only gets what it misses. May be repeated.
 *
 * @throws ManagerError ERR_BUSY when another process works with it
 */
export async function rebuildRegistry(context: ManagerContext, caller: Caller): Promise<RebuildReport> {
  const { home } = context
  const lock = lockAll(context, caller)
  try {
    const fault = existsSync(home.database) ? faultOf(home.database) : 'it is missing'
    if (fault === undefined) return await compared(context, caller, context.registry, { at: 'now', warnings: [] })
    const openers = openedBy(home.database)
    if (openers.length > 0)
      throw new ManagerError('ERR_BUSY', `The registry is open in ${openers.join(', ')}.`, {
        help: 'Stop the programs that use this home (e.g. the server), and start them again afterwards.',
      })
    const beside = `${home.database}.rebuilt`
    for (const end of ['', '-wal', '-shm']) rmSync(`${beside}${end}`, { force: true })
    const base = beginWith(context, beside)
    const registry = openRegistry({ file: beside, clock: context.clock })
    let report: RebuildReport
    try {
      if (base.at !== undefined) forgetWork(registry, newestChanges(context))
      report = await compared(context, caller, registry, base)
    } finally {
      registry.close()
    }
    const aside = putAside(home.database, context.clock())
    if (process.getuid?.() === 0) {
      const { uid, gid } = statSync(home.folder)
      chownSync(beside, uid, gid)
    }
    renameSync(beside, home.database)
    const kept = aside === undefined ? [] : [`The old registry (${fault}) is kept: ${aside}`]
    return { ...report, warnings: [...kept, ...report.warnings] }
  } finally {
    lock.release()
  }
}

/** The holder of one works with the registry as it was. */
function lockAll({ home, locks, clock }: ManagerContext, { actor }: Caller): Lock {
  const names = existsSync(home.locks) ? readdirSync(home.locks) : []
  const keys = names.filter((name) => !name.endsWith('.holder')).map((name) => decodeURIComponent(name))
  const purpose = `rebuilding of the registry by ${actor}, process ${process.pid}, since ${clock().toISOString()}`
  const lock = locks.tryAcquire(['manager', ...keys], purpose)
  if (lock) return lock
  const holder = keys.map((key) => locks.holder(key)).find((one) => one !== undefined) ?? 'another process'
  throw new ManagerError('ERR_BUSY', `Busy: ${holder} is using this home.`, { help: 'Wait for it to end.' })
}

/** Puts the newest copy that is whole in a place. */
function beginWith({ home }: ManagerContext, file: string): Base {
  const warnings: string[] = []
  for (const copy of listCopies(home.registryCopies)) {
    const fault = faultOf(copy.file)
    if (fault !== undefined) {
      warnings.push(`Skipped the copy ${basename(copy.file)}: ${fault}`)
      continue
    }
    copyFileSync(copy.file, file)
    warnings.push(
      `The registry was rebuilt from the copy of ${copy.at}. Later changes that are not on the disk are lost: ` +
        'flags, addresses, owners, tokens, requests, history.',
    )
    return { at: copy.at, warnings }
  }
  warnings.push(
    'There is no intact copy of the registry: tokens, requests, history and incidents are lost. To fetch the ' +
      'versions, run: manager refresh',
  )
  return { at: undefined, warnings }
}

function newestChanges({ home }: ManagerContext): number {
  return listCopies(home.registryCopies)[0]?.changes ?? 0
}

async function compared(
  context: ManagerContext,
  caller: Caller,
  registry: Registry,
  { at, warnings }: Base,
): Promise<RebuildReport> {
  const before = registry.instances()
  const versions = registry.versions()
  const now = context.clock().toISOString()
  const reconciled = reconcile({ instances: before, at }, await readDisk(context), {
    defaultVersion: context.settings.global.defaultVersion ?? versions.at(-1)?.version ?? '1.0',
    now,
  })
  const count = (result: Reconciled['result']) => reconciled.filter((one) => one.result === result).length
  const summary =
    `${count('kept')} unchanged, ${count('changed')} changed, ${count('added')} added, ${count('removed')} ` +
    `removed, ${count('unclear')} unclear`
  const isSame = at === 'now' && reconciled.every(({ result }) => result === 'kept' || result === 'unclear')
  const message = isSame
    ? 'The registry is intact. Nothing was changed.'
    : at === 'now'
      ? `The registry was intact, and is now up to date with the disk: ${summary}.`
      : `The registry is rebuilt: ${summary}.`
  if (!isSame) apply(registry, before, reconciled, { context, caller, message, at: now })
  return { message, warnings, instances: reconciled.map(({ row: _row, ...one }) => one) }
}

interface ApplyOptions {
  readonly context: ManagerContext
  readonly caller: Caller
  readonly message: string
  readonly at: string
}

function apply(
  registry: Registry,
  before: readonly Instance[],
  reconciled: readonly Reconciled[],
  { caller, message, at }: ApplyOptions,
): void {
  const entry = { at, action: 'doctor --rebuild', result: 'ok' } as const
  registry.transaction((writer) => {
    const rows = new Map(reconciled.map(({ id, row }) => [id, row]))
    const stays = (one: Instance) => same(one, rows.get(one.id))
    for (const one of before) if (!stays(one)) writer.deleteInstance(one.id)
    const unchanged = new Set(before.filter(stays).map(({ id }) => id))
    for (const row of rows.values()) if (row && !unchanged.has(row.id)) writer.insertInstance(row)
    for (const { result, id, name, message: text } of reconciled)
      if (result !== 'kept')
        writeEntry(writer, caller, { ...entry, parameters: { result }, message: text, instance: { id, name } })
    writeEntry(writer, caller, { ...entry, parameters: { result: 'rebuilt' }, message })
  })
}

function same(a: Instance, b: Instance | null | undefined): boolean {
  return b !== null && b !== undefined && (Object.keys(a) as (keyof Instance)[]).every((key) => a[key] === b[key])
}

/** Takes the files that belong to the database along. @returns its name there; undefined: there is none */
function putAside(file: string, at: Date): string | undefined {
  const aside = join(dirname(file), `${basename(file)}.damaged-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`)
  let name = aside
  for (let n = 2; existsSync(name); n++) name = `${aside}-${n}`
  const isThere = existsSync(file)
  for (const end of ['-wal', '-shm', '']) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${name}${end}`)
  return isThere ? name : undefined
}
