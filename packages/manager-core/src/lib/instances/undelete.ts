import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { moveTo } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import type { ManagerContext, OperationKind, Plan, Step } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { checkName } from '../domain/names.js'
import { fileError } from '../files/file-error.js'
import type { InstanceSettings } from '../settings/settings.js'
import { accountStep } from './account-step.js'
import { checkNamedAddress, withOwnUrl } from './addresses.js'
import type { NewInstance } from './creation.js'
import { reachDatabaseServer } from './database-step.js'
import { defineStep } from './define-step.js'
import { firstStartStep } from './first-start-step.js'
import { checkNameFree } from './inspect-creation.js'
import { contextOf, ioUrlOf } from './new-settings.js'
import { rewriteSettings } from './rewrite-settings.js'
import { ownStep } from './own-step.js'
import { needsAccount } from './elsewhere.js'
import { freePort } from './ports.js'
import { checkLimit, reserveStep } from './reserve-step.js'
import { readEntry, trashFile } from './trash.js'
import { writeRecord, type TrashFacts } from './trash-step.js'

export type UndeleteRequest = {
  readonly entry: string
  /** Name that it will have. */
  readonly name: string
  /** Id that it will have: its old one when that is free. */
  readonly id: string
}

type UndeleteFacts = {
  readonly row: NewInstance
  /** What a person should know of it. */
  readonly note: string | null
  readonly trash: string
  readonly folder: string
  readonly record: TrashFacts
  /** It has no system account, and gets one. */
  readonly isolated: boolean
}

/** Brings an instance back from the trash, with a new port; it is started when it was. */
export const undeleteKind: OperationKind<UndeleteRequest, UndeleteFacts> = {
  kind: 'undelete',
  locks: ({ entry, name, id }) => [`trash:${entry}`, `name:${name.toLowerCase()}`, `instance:${id}`],
  async inspect({ entry, name, id }, context) {
    const found = await readEntry(context.home, entry)
    if (!found) throw new ManagerError('ERR_NOT_FOUND', `"${entry}" is not in the trash.`, { command: 'trash' })
    const { folder: trash, entry: _entry, ...record } = found
    checkName(name)
    checkNameFree(name, context)
    checkLimit(context)
    if (context.registry.byId(id)) throw new ManagerError('ERR_STATE', `An instance with the id ${id} already exists.`)
    await freePort(context)
    await reachDatabaseServer(context, record.instance.database)
    const { port: _port, operation: _operation, observed: _observed, updated: _updated, ...old } = record.instance
    const { row, note } = withOwnUrl({ ...old, id, name }, context)
    checkNamedAddress(row, context)
    return {
      row,
      note,
      trash,
      folder: context.home.instance(id).folder,
      record: { ...record, instance: { ...record.instance } },
      isolated: !accountAt(trash) && needsAccount(context, row.runtime),
    }
  },
  plan: planUndelete,
}

function planUndelete({ entry }: UndeleteRequest, { row, note, trash, folder, record, isolated }: UndeleteFacts): Plan {
  const instance = { id: row.id, name: row.name }
  return {
    title: `Restore "${entry}" from the trash as "${row.name}"`,
    instance,
    steps: [
      reserveStep(row, note),
      ...(isolated ? [accountStep()] : []),
      takeOutOfTrashStep({ trash, folder, record }),
      ...(isolated ? [ownStep(folder)] : []),
      adjustSettingsStep(row, folder),
      defineStep({ row, folder }),
      ...(row.desired === 'started' ? [firstStartStep({ instance, folder })] : []),
    ],
    notes: note === null ? [] : [note],
    commit: (registry) => registry.updateInstance(row.id, { desired: row.desired }),
  }
}

function takeOutOfTrashStep({ trash, folder, record }: Omit<UndeleteFacts, 'row' | 'note' | 'isolated'>): Step {
  return {
    id: 'place',
    title: 'Move its folder out of the trash',
    async do() {
      try {
        await moveTo(trash, folder)
        await rm(join(folder, trashFile))
      } catch (error) {
        throw fileError(error, `Cannot move ${trash} to ${folder}`)
      }
    },
    async undo() {
      if (existsSync(trash) || !existsSync(folder)) return
      await writeRecord(folder, record)
      await moveTo(folder, trash)
    },
    check: () => (existsSync(trash) ? 'not-done' : 'done'),
  }
}

/** What in them depends on name and port. */
function adjustSettingsStep({ id, name }: NewInstance, folder: string): Step {
  async function adjust(
    { settings }: ManagerContext,
    values: Pick<InstanceSettings, 'context' | 'url'>,
  ): Promise<void> {
    await settings.writeInstance(folder, { ...(await settings.instance(folder)), ...values })
  }
  const file = join(folder, 'settings.sh')
  return {
    id: 'settings',
    title: 'Update the port in its settings',
    async intent({ context }) {
      if (!existsSync(file)) return null
      const { context: path, url } = await context.settings.instance(folder)
      return { context: path, url }
    },
    async do({ context, intent, warn }) {
      const row = context.registry.byId(id) as Instance
      const { port } = row
      if (intent === null) {
        await rewriteSettings(context, row, folder)
        warn(`"${name}" had no settings: they were written again, with new secrets, and without variables of its own.`)
        return
      }
      await adjust(context, { context: contextOf(name, context.settings.global), url: ioUrlOf(port) })
    },
    async undo({ context, intent }) {
      // It is in the trash again when this is repeated.
      if (intent !== null && existsSync(file))
        await adjust(context, intent as Pick<InstanceSettings, 'context' | 'url'>)
    },
    // They are written again whenever it comes back.
    check: () => 'not-done',
  }
}
