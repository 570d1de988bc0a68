import type { BackedUpInstance } from '../backup/backup.js'
import { formerRuntime, isThrowAway, thisHost, type Instance } from '../domain/instance.js'
import type { DiskState, FoundInstance } from './read-disk.js'

/** What the registry said before. */
export interface Remembered {
  readonly instances: readonly Instance[]
  /** When that was true, ISO 8601; `now`: it is the registry itself, which lost nothing; undefined: nothing is remembered. */
  readonly at: string | 'now' | undefined
}

/** The result for one instance. */
export type Reconciled = {
  readonly id: string
  readonly name: string
  readonly result: 'kept' | 'changed' | 'added' | 'removed' | 'unclear'
  /** Sentences: what is not as it was remembered, and what could not be known. */
  readonly message: string
  /** Its row from now on; null: none. */
  readonly row: Instance | null
}

export interface ReconcileOptions {
  /** For instances of which no version is known. */
  readonly defaultVersion: string
  /** ISO 8601 */
  readonly now: string
}

/**
 * Brings what was remembered in step with the disk; pure. What was deleted since does not come back, what was made since
 * is not lost, and each such thing is said. In the order of their names.
 */
export function reconcile(
  { instances: remembered, at }: Remembered,
  disk: DiskState,
  options: ReconcileOptions,
): readonly Reconciled[] {
  const found = new Map(disk.instances.map((one) => [one.id, one]))
  const known = new Set(remembered.map(({ id }) => id))
  const rows = remembered.map((row) => {
    const there = found.get(row.id)
    if (isThrowAway(row)) return { ...about(row), result: 'removed', message: 'It was for a test restore.', row: null }
    if (there) return at === 'now' ? kept(row) : brought(row, there, at as string)
    return at === 'now' ? missing(row) : gone(row, disk)
  }) satisfies readonly Reconciled[]
  const strangers = disk.instances.filter(({ id }) => !known.has(id)).map((one) => added(one, disk, options))
  return withOwnNames([...rows, ...strangers]).toSorted((a, b) => a.name.localeCompare(b.name))
}

const about = ({ id, name }: Pick<Instance, 'id' | 'name'>) => ({ id, name })

function kept(row: Instance): Reconciled {
  return { ...about(row), result: 'kept', message: '', row }
}

function missing(row: Instance): Reconciled {
  const message = 'Its folder is missing. It stays in the registry: restore it from a backup, or delete it.'
  return { ...about(row), result: 'unclear', message, row }
}

/** The disk is newer than the copy. */
function brought(row: Instance, { settings, runsAs, saved }: FoundInstance, at: string): Reconciled {
  const isNewer = saved !== undefined && saved.started > at && saved.instance.updated > row.updated
  const later = isNewer ? factsOf(saved.instance) : {}
  const port = settings && portOf(settings.url)
  const after: Instance = {
    ...row,
    ...later,
    ...(port !== undefined && { port }),
    ...(settings && { database: settings.database }),
    ...(runsAs.length > 0 && {
      desired: 'started' as const,
      runtime: runtimeOf(runsAs, (later as Partial<Instance>).runtime ?? row.runtime),
    }),
    operation: '',
  }
  const messages = [
    ...differences(row, after),
    ...(row.operation === '' ? [] : ['An operation was running when the copy was made. Check the instance.']),
    ...(settings ? [] : ['Its settings cannot be read: restore it from a backup.']),
  ]
  return {
    ...about(after),
    result: messages.length === 0 ? 'kept' : 'changed',
    message: messages.join(' '),
    row: after,
  }
}

/** It is in the copy, and not on the disk. */
function gone(row: Instance, { trash, saved }: DiskState): Reconciled {
  const entry = trash.get(row.id)
  const backup = saved.get(row.id)
  const message =
    entry !== undefined
      ? `It was deleted since, and is in the trash: manager undelete ${entry}`
      : `Its folder is missing: it was purged since, or is lost. ${
          backup ? `It can be made again: manager restore ${backup.instance.name}` : 'No backup of it is here.'
        }`
  return { ...about(row), result: 'removed', message, row: null }
}

/** It is on the disk, and was not remembered. */
function added(found: FoundInstance, { trash }: DiskState, { defaultVersion, now }: ReconcileOptions): Reconciled {
  const { id, settings, runsAs, saved, installed } = found
  if (!settings) {
    const message = `instances/${id} has no readable settings, and is left alone. For details, run doctor.`
    return { id, name: id, result: 'unclear', message, row: null }
  }
  const unknown: BackedUpInstance = {
    id,
    name: id,
    version: defaultVersion,
    versionDate: installed,
    revision: '',
    desired: 'stopped',
    protected: false,
    autoUpdate: false,
    autoSave: false,
    database: 'sqlite',
    customUrl: '',
    source: '',
    ownerEmail: '',
    firstname: '',
    lastname: '',
    phone: '',
    company: '',
    created: installed,
    updated: now,
  }
  const row: Instance = {
    ...unknown,
    ...(saved && factsOf(saved.instance)),
    id,
    observed: 'stopped',
    operation: '',
    proved: '',
    installedVersion: '',
    heldRevision: '',
    runtime: runtimeOf(runsAs, saved?.instance.runtime ?? formerRuntime),
    host: thisHost,
    desired: runsAs.length > 0 ? 'started' : (saved?.instance.desired ?? 'stopped'),
    database: settings.database,
    port: portOf(settings.url) ?? 0,
    source: saved?.instance.source ?? `template:${unknown.version}`,
    created: saved?.instance.created ?? installed,
  }
  const what = saved
    ? `Restored from its backup ${saved.instance.name}/${saved.id}. Changes after ${saved.started} are lost.`
    : `Its name, version, flags, owner and address are unknown: it is named "${row.name}", has version ` +
      `${row.version}, and is not included in nightly upgrades. To rename it: manager rename ${row.name} <name>`
  const twin = trash.get(id)
  const messages = [what, ...(twin === undefined ? [] : [`The trash contains "${twin}" with the same id.`])]
  return { ...about(row), result: 'added', message: messages.join(' '), row }
}

/** What it had, unless it is another one that runs it. */
function runtimeOf(runsAs: readonly string[], before: string): string {
  return runsAs.includes(before) ? before : (runsAs[0] ?? before)
}

/** What an instance's backup knows and its folder does not. */
function factsOf(saved: BackedUpInstance): Omit<BackedUpInstance, 'id' | 'database' | 'created' | 'source'> {
  const { id: _id, database: _database, created: _created, source: _source, ...facts } = saved
  return facts
}

const shown = {
  name: 'name',
  version: 'version',
  desired: 'recorded status',
  port: 'port',
  database: 'database',
  runtime: 'runtime',
  protected: 'protected',
  autoUpdate: 'auto update',
  autoSave: 'auto save',
  customUrl: 'URL',
  ownerEmail: 'owner',
} as const satisfies Partial<Record<keyof Instance, string>>

function differences(before: Instance, after: Instance): readonly string[] {
  return (Object.keys(shown) as (keyof typeof shown)[])
    .filter((key) => before[key] !== after[key])
    .map((key) => `Its ${shown[key]} is ${textOf(after[key])}, not ${textOf(before[key])}.`)
}

function textOf(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === '' ? 'empty' : String(value)
}

/** Two of one name, or of one port, cannot be in a registry: those that were remembered come first. */
function withOwnNames(all: readonly Reconciled[]): readonly Reconciled[] {
  const names = new Set<string>()
  const ports = new Set<number>()
  return all.map((one) => {
    const { row } = one
    if (!row) return one
    if (ports.has(row.port) || row.port === 0) {
      const message =
        `instances/${row.id} shares its port ${row.port} with another instance, and is left alone: restore it from a ` +
        'backup.'
      return { ...one, result: 'unclear', message, row: null }
    }
    ports.add(row.port)
    const isTaken = names.has(row.name.toLowerCase())
    const name = isTaken ? row.id : row.name
    names.add(name.toLowerCase())
    if (!isTaken) return one
    const message = `${one.message} Another instance is named "${row.name}", so this one is now named "${name}".`
    return { ...one, name, result: 'changed', message: message.trimStart(), row: { ...row, name } }
  })
}

function portOf(url: string | undefined): number | undefined {
  const port = url === undefined ? NaN : Number(URL.parse(url)?.port)
  return Number.isInteger(port) && port > 0 ? port : undefined
}
