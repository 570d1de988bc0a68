import { proveKind, type Proof } from '../backup/prove.js'
import { wireBackup } from '../backup/wire-backup.js'
import { randomId } from '../domain/names.js'
import type { Action } from './action.js'
import { runOperation } from './run-operation.js'

export const prove: Action = {
  name: 'prove',
  group: 'Backups',
  summary: 'Prove that a backup can be restored: restore it into an instance that is removed again',
  description:
    'It is restored into a throw-away instance with a database of its own, its rows are counted and compared with what ' +
    'was saved, it is started, and its health is checked. It sends no mail, calls nobody and does nothing by schedule, ' +
    'and is in no list. Whatever comes out, all of it is removed. list and backups list show when that went well.',
  parameters: [
    { name: 'name', type: 'text', required: true, summary: 'Name of the instance, also of one that is gone' },
    { name: 'backup', type: 'text', summary: 'Backup, or the beginning of its name (default: the latest)' },
  ],
  ability: 'operate',
  mutating: true,
  examples: ['prove demo', 'prove demo 20261121T030000Z', 'prove demo --dry-run'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const name = input.name as string
    const { folder, key, manifest } = await context.backups.find(name, (input.backup as string | undefined) ?? 'latest')
    const instance = context.registry.byId(manifest.instance.id)?.id ?? ''
    const request = { id: randomId(), backup: folder, key, instance }
    return runOperation(call, proveKind, request, async ({ outcomes }) => {
      const { seconds } = outcomes.get('start') as Proof
      return {
        message: `The backup ${key} is proved: it was restored, started and healthy after ${seconds} s.`,
        item: wireBackup(await context.backups.find(name, key)),
      }
    })
  },
}
