import { ManagerError } from '../../errors.js'
import type { ActionResult } from '../action.js'
import type { ManagerContext } from '../context.js'
import { randomId } from '../domain/names.js'
import { sizeText } from '../domain/readable.js'
import { folderSize } from '../files/folder-size.js'
import { believedTime } from '../history/believed-time.js'
import { recordHistory } from '../history/record-history.js'
import { purgeKind } from '../instances/purge.js'
import { findEntry, listTrash, type TrashEntry, type TrashRecord } from '../instances/trash.js'
import { undeleteKind } from '../instances/undelete.js'
import { wireInstance } from '../instances/wire-instance.js'
import { ofSeveral } from '../operation/of-several.js'
import { urlOf } from '../settings/public-url.js'
import { removeAllPoints, sizeOfPoints } from '../upgrade/restore-points.js'
import { defineAction, type CallPlace } from './define-action.js'
import { runOperation } from './run-operation.js'

/** What was deleted or replaced, as `trash` answers it. */
export type TrashItem = Pick<TrashRecord, 'reason' | 'deleted' | 'expires'> & {
  readonly entry: string
  readonly name: string
  readonly version: string
  readonly database: string
  /** Who put it there; empty: that is not known. */
  readonly by: string
  /** Bytes of its folder: what a database server keeps is not among them. Absent: it was not asked for. */
  readonly size?: number
}

export const trash = defineAction({
  name: 'trash',
  group: 'Instances',
  summary: 'List the trash: deleted instances, and earlier contents from before a reset or restore',
  options: [{ name: 'measure', type: 'yes-no', summary: 'Include sizes (default: yes on the command line)' }],
  ability: 'read',
  mutating: false,
  examples: ['trash', 'trash --json'],
  view: {
    type: 'table',
    columns: ['entry', 'name', 'version', 'database', 'reason', 'deleted', 'by', 'expires', 'size'],
    optional: ['size'],
    empty: 'The trash is empty.',
  },
  async handler({ context, input, caller }) {
    const entries = await listTrash(context.home)
    const measures = input.measure ?? caller.surface === 'cli'
    const list = entries.map(async (one): Promise<TrashItem> => {
      const { entry, reason, deleted, expires, folder, instance } = one
      const { name, version, database } = instance
      const size = measures ? { size: await folderSize(folder) } : {}
      return { entry, name, version, database, reason, deleted, by: whoDeleted(context, one), expires, ...size }
    })
    return { message: `${entries.length} in the trash.`, list: await Promise.all(list) }
  },
})

/** Who put it there, as the history has it; empty: that is not known. */
function whoDeleted({ registry }: Pick<ManagerContext, 'registry'>, entry: TrashEntry): string {
  const { reason, deleted, instance } = entry
  const entries = registry.history({ instance: instance.id, limit: 1000 })
  return entries.find(({ action, at, result }) => action === reason && result === 'ok' && at >= deleted)?.actor ?? ''
}

export const undelete = defineAction({
  name: 'undelete',
  group: 'Instances',
  summary: 'Restore an instance from the trash',
  description:
    'Restores its data, settings, passwords and flags, with another port; it is started if it was running. ' +
    'Contents from before a reset or restore need another name (--as), because the original name is in use.',
  parameters: [{ name: 'entry', type: 'text', required: true, summary: 'Entry in the trash, or the old name' }],
  options: [{ name: 'as', type: 'new-name', summary: 'New name (default: the old one)' }],
  ability: 'admin',
  mutating: true,
  examples: ['undelete demo', 'undelete demo-20261121T030000Z-k3x9q2ab --as demo2'],
  view: { type: 'record' },
  async handler(call) {
    const { context, input } = call
    const { entry, instance } = await findEntry(context.home, input.entry)
    const name = input.as ?? instance.name
    const id = context.registry.byId(instance.id) ? randomId() : instance.id
    return runOperation(call, undeleteKind, { entry, name, id }, () => {
      const back = context.registry.get(name)
      const state = back.desired === 'started' ? `started: ${urlOf(back)}` : 'stopped'
      return { message: `Instance "${name}" is back, ${state}`, item: wireInstance(back, context.settings.global) }
    })
  },
})

export const purge = defineAction({
  name: 'purge',
  group: 'Instances',
  summary: 'Permanently delete instances in the trash with their databases, or restore points of upgrades',
  description:
    'What has been in the trash for APPS_TRASHDAYS is deleted automatically by the next refresh, delete, reset ' +
    'or restore; restore points are deleted with their instance. --restore-points deletes those of an existing ' +
    'instance, or with --all of all instances; those older than APPS_RESTOREPOINTDAYS are deleted automatically ' +
    'by the next refresh.',
  parameters: [
    {
      name: 'entry',
      type: 'text',
      summary: 'Entry in the trash, or the old name; with --restore-points an instance',
    },
  ],
  options: [
    { name: 'all', type: 'flag', summary: 'Empty the trash; with --restore-points: of all instances' },
    {
      name: 'days',
      type: 'integer',
      min: 0,
      summary: 'With --all: only what has been there for at least this many days',
    },
    {
      name: 'restore-points',
      type: 'flag',
      summary: 'Delete restore points; upgrades can then no longer be rolled back',
    },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'This cannot be undone.',
  examples: ['purge demo', 'purge --all --yes', 'purge --all --days 7', 'purge demo --restore-points --yes'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    if ((input.entry === undefined) !== input.all)
      throw new ManagerError('ERR_USAGE', 'Give either one name or --all.', { command: 'trash' })
    if (input.days !== undefined && !input.all)
      throw new ManagerError('ERR_USAGE', '--days needs --all.', { command: 'purge --all --days 7' })
    const before = input.days === undefined ? undefined : daysBefore(believedTime(context), input.days)
    if (input['restore-points']) return purgePoints(call, input.entry, before)
    if (input.entry !== undefined) {
      const { entry } = await findEntry(context.home, input.entry)
      return runOperation(call, purgeKind, { entry }, () => ({ message: `"${entry}" is permanently deleted.` }))
    }
    const entries = (await listTrash(context.home)).filter(
      ({ deleted }) => before === undefined || deleted < before.toISOString(),
    )
    const results: ActionResult[] = []
    const each = { ...call, caller: ofSeveral(call.caller) }
    for (const { entry } of entries)
      results.push(await runOperation(each, purgeKind, { entry }, () => ({ message: '' })))
    const warnings = results.flatMap((result) => result.warnings ?? [])
    const message = call.caller.dryRun
      ? `${entries.length} would be permanently deleted.`
      : `${entries.length} permanently deleted.`
    return { message, ...(warnings.length > 0 && { warnings }) }
  },
})

const daysBefore = (time: Date, days: number) => new Date(time.getTime() - days * 86_400_000)

async function purgePoints(
  { context, caller }: CallPlace,
  name: string | undefined,
  before: Date | undefined,
): Promise<ActionResult> {
  const { registry, home, locks } = context
  const instances = name === undefined ? registry.instances() : [registry.get(name)]
  const folders = instances.map(({ id, name }) => ({ id, name, folder: home.instance(id).folder }))
  if (caller.dryRun) {
    const sizes = await Promise.all(folders.map(({ folder }) => sizeOfPoints(folder, before)))
    return { message: `Restore points of ${sizeText(sum(sizes))} would be removed.` }
  }
  const sizes: number[] = []
  for (const { id, name, folder } of folders) {
    if ((await sizeOfPoints(folder, before)) === 0) continue
    const { waitMs = 0, signal } = caller
    const options = { purpose: `removal of restore points by ${caller.actor}, process ${process.pid}`, waitMs, signal }
    await locks.with([`instance:${id}`], options, () =>
      recordHistory(context, caller, { action: 'purge', instance: { id, name } }, async () => {
        const bytes = await removeAllPoints(folder, before)
        sizes.push(bytes)
        return { message: `Restore points of ${sizeText(bytes)} were removed.` }
      }),
    )
  }
  return { message: `Restore points of ${sizeText(sum(sizes))} were removed.` }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
