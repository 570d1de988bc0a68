import { checkTemplateCode } from '../application/check-template-code.js'
import type { OperationKind, Plan } from '../context.js'
import type { DatabaseType } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { folderSize } from '../files/folder-size.js'
import { accountStep } from './account-step.js'
import { databaseStep, reachDatabaseServer } from './database-step.js'
import { defineStep, undefineStep } from './define-step.js'
import { hookStep } from './hook-steps.js'
import { needsAccount } from './elsewhere.js'
import { checkSpace } from './inspect-creation.js'
import { leftOf, leftStep, type Left } from './left-step.js'
import { moveToTrash, type TrashMove } from './move-to-trash.js'
import { startStep, stopStep } from './runtime-steps.js'
import { settingsStep } from './settings-step.js'
import { layoutStep, placeStep } from './stage.js'
import { trashStep } from './trash-step.js'
import { unprotected } from './unprotected.js'
import { versionStep, type InstanceVersion } from './version-step.js'

export type ResetRequest = {
  readonly id: string
  readonly name: string
  /** `null`: the one that it has. */
  readonly version: string | null
}

type ResetFacts = TrashMove & {
  /** Folder of the version's template. */
  readonly application: string
  readonly version: InstanceVersion
  readonly database: DatabaseType
  /** What comes gets a system account of its own; what goes keeps its. */
  readonly isolated: boolean
  /** Names of the new database: the old one stays with what goes to the trash. */
  readonly names: { readonly name: string; readonly user: string }
  /** Absent: nothing. */
  readonly left?: Left
}

/**
 * Makes an instance new: its version's application, an empty database. What it was goes to the trash, database too.
 * Name, port, flags and custom URL stay, as do the credentials of its I/O endpoint and of its administrator; those of
 * the database are new. Not specified; chosen because clients and bookmarks of a demonstration keep working.
 */
export const resetKind: OperationKind<ResetRequest, ResetFacts> = {
  kind: 'reset',
  replacesAll: () => true,
  locks: ({ id }) => [`instance:${id}`],
  async inspect(request, context) {
    const { id, version: wanted } = request
    const instance = unprotected(request, 'reset', context)
    const { version, date, revision, folder: application } = await context.templates.get(wanted ?? instance.version)
    await checkTemplateCode(context, { folder: application, version })
    const { database } = instance
    await reachDatabaseServer(context, database)
    await checkSpace(context.home.folder, await folderSize(application))
    const names = context.databases.names(database, id)
    const suffix = `_${randomId(4)}`
    const left = leftOf(context, instance)
    return {
      application,
      version: { version, versionDate: date, revision },
      database,
      isolated: needsAccount(context, instance.runtime),
      names: database === 'sqlite' ? names : { name: names.name + suffix, user: names.user + suffix },
      ...(await moveToTrash(context, instance, 'reset')),
      ...(left && { left }),
    }
  },
  plan: planReset,
}

function planReset({ id, name }: ResetRequest, facts: ResetFacts): Plan {
  const { folder, lost, application, version, database, isolated, names, trash, entry, record, left } = facts
  const instance = { id, name: record.instance.name }
  const row = { id, name, version: version.version, database }
  const hook = {
    args: [instance.name, version.version],
    input: { action: 'reset', instance: instance.name, version: version.version },
    instance,
  }
  return {
    title: `Reset instance "${instance.name}" to a blank version ${version.version}`,
    instance,
    steps: [
      hookStep({ ...hook, hook: 'pre-reset', folder: lost ? undefined : folder }),
      ...(isolated ? [accountStep()] : []),
      layoutStep(application, { isolated }),
      settingsStep({ row, names, ...(!lost && { keepCredentialsOf: folder }) }),
      databaseStep({ row, names }),
      stopStep({ instance, folder }),
      ...(lost ? [] : [undefineStep({ row, folder })]),
      trashStep({ folder, trash, record }),
      placeStep({ folder }),
      versionStep(id, version, record.instance),
      defineStep({ row, folder }),
      startStep({ instance, folder, stopStepId: 'stop' }),
      { ...hookStep({ ...hook, hook: 'post-reset', folder }), pointOfNoReturn: true },
      ...(left ? [leftStep(left)] : []),
    ],
    notes: [
      record.expires > record.deleted
        ? `The old contents stay in the trash until ${record.expires}. To restore them under another name: undelete ` +
          `${entry} --as <name>`
        : 'Its old configuration and data are deleted permanently.',
    ],
    commit: (registry) => registry.updateInstance(id, { source: `template:${version.version}` }),
  }
}
