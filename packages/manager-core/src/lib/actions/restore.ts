import { ManagerError } from '../../errors.js'
import { recreateKind } from '../backup/recreate.js'
import { restoreKind } from '../backup/restore.js'
import { databaseTypes, type DatabaseType } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { urlOf, wireInstance } from '../instances/wire-instance.js'
import type { Action, ActionCall } from './action.js'
import { runOperation } from './run-operation.js'

export const restore: Action = {
  name: 'restore',
  group: 'Backups',
  summary: 'Put an instance back to what a backup holds, or make a new one of it',
  description:
    'Every byte of the backup is read before anything is touched. An instance that runs is stopped for the switch and ' +
    'started again; when that fails, all is put back as it was. An instance that is gone is made again under its name, ' +
    'with --as a copy under another name; both get new secrets and another port, the users in their data keep their ' +
    'passwords. Refused are: an instance that is protected; data of a newer version than the application that stays, or ' +
    'an application that is older than the data that stays (--only); a version newer than all that are here.',
  parameters: [
    { name: 'name', type: 'text', required: true, summary: 'Name of the instance, also of one that is gone' },
  ],
  options: [
    {
      name: 'from',
      type: 'text',
      summary: 'Backup, or the beginning of its name, or <other name>/<backup> (default: the latest)',
    },
    { name: 'as', type: 'new-name', summary: 'Make a new instance of this name instead' },
    {
      name: 'only',
      type: 'choice',
      choices: ['data', 'app'],
      summary: 'Only data (with database), or only application',
    },
    {
      name: 'database',
      type: 'choice',
      choices: databaseTypes,
      summary: 'Type of the database of an instance that is made (default: as it was)',
    },
    { name: 'allow-newer', type: 'flag', summary: 'Also when it is of a newer version than all that are here' },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'What "{name}" holds now will be replaced by what the backup holds.',
  harmlessWith: 'as',
  examples: [
    'restore demo',
    'restore demo --from 20261121T030000Z',
    'restore demo --as demo2',
    'restore demo --only data',
  ],
  view: { type: 'record' },
  async handler(call) {
    const { context, input } = call
    const backup = await context.backups.find(input.name as string, (input.from as string | undefined) ?? 'latest')
    const instance = context.registry.find(input.name as string)
    const as = input.as as string | undefined
    if (!instance || as !== undefined) return recreate(call, backup, as ?? (input.name as string), as === undefined)
    if (input.database !== undefined)
      throw new ManagerError('ERR_USAGE', '--database is for an instance that is made: name it with --as.', {
        command: 'restore --help',
      })
    const { id, name } = instance
    const parts = (input.only as 'data' | 'app' | undefined) ?? 'all'
    const request = { id, name, backup: backup.folder, parts, allowNewer: input['allow-newer'] === true }
    return runOperation(call, restoreKind, request, () => ({
      message: `Instance "${name}" is as it was saved: ${backup.key}.`,
      item: wireInstance(context.registry.get(name)),
    }))
  },
}

function recreate(
  call: ActionCall,
  backup: { readonly folder: string; readonly key: string },
  name: string,
  sameInstance: boolean,
) {
  const { context, input } = call
  if (input.only !== undefined)
    throw new ManagerError('ERR_USAGE', '--only is for an instance that is there; a new one needs both.', {
      command: 'restore --help',
    })
  const { folder, key } = backup
  const database = (input.database as DatabaseType | undefined) ?? null
  const allowNewer = input['allow-newer'] === true
  const request = { id: randomId(), name, backup: folder, key, database, sameInstance, allowNewer }
  return runOperation(call, recreateKind, request, () => {
    const made = context.registry.get(name)
    const state = made.desired === 'started' ? `started: ${urlOf(made)}` : 'there, stopped'
    return { message: `Instance "${name}" (from ${key}) is ${state}`, item: wireInstance(made) }
  })
}
