import { wireBackup } from '../backup/wire-backup.js'
import type { Action } from './action.js'
import { checksaves } from './check-saves.js'
import { download } from './download.js'
import { prove } from './prove.js'
import { backupsPrune } from './prune.js'
import { restore } from './restore.js'
import { save, saveall } from './save.js'

const backups: Action = {
  name: 'backups list',
  aliases: ['backups'],
  group: 'Backups',
  summary: 'List backups, the newest first',
  description: 'Also those of instances that are gone: restore makes them again.',
  parameters: [{ name: 'name', type: 'text', summary: 'Name of an instance, also of one that is gone (default: all)' }],
  ability: 'read',
  mutating: false,
  examples: ['backups list', 'backups demo', 'backups demo --json'],
  view: {
    type: 'table',
    columns: ['name', 'backup', 'saved', 'version', 'size', 'database', 'verified', 'proved', 'damage'],
    empty: 'There are no backups.',
  },
  async handler({ context, input }) {
    const filter = input.name === undefined ? {} : { name: input.name as string }
    const [list, damaged] = await Promise.all([context.backups.list(filter), context.backups.damaged(filter)])
    const warnings = damaged.map(({ message }) => message)
    return {
      message: `${list.length} backups.`,
      list: list.map(wireBackup),
      ...(warnings.length > 0 && { warnings }),
    }
  },
}

const verify: Action = {
  name: 'backups verify',
  aliases: ['verify'],
  group: 'Backups',
  summary: 'Read every byte of a backup and compare it with what was saved',
  parameters: [
    { name: 'name', type: 'text', required: true, summary: 'Name of the instance, also of one that is gone' },
    { name: 'backup', type: 'text', summary: 'Backup, or the beginning of its name (default: the latest)' },
  ],
  ability: 'operate',
  mutating: false,
  examples: ['backups verify demo', 'backups verify demo 20261121T030000Z'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const backup = await context.backups.find(input.name as string, (input.backup as string | undefined) ?? 'latest')
    const of = backup.manifest.files.reduce((sum, { plainSize }) => sum + plainSize, 0)
    await context.backups.verify(backup, {
      signal: caller.signal,
      onBytes: (bytes) => caller.onEvent?.({ type: 'progress', step: 'verify', text: 'Read the backup', bytes, of }),
    })
    return {
      message: `The backup ${backup.key} is good: every byte was read.`,
      item: wireBackup(await context.backups.find(input.name as string, backup.key)),
    }
  },
}

export const backupActions: readonly Action[] = [
  save,
  saveall,
  backups,
  verify,
  backupsPrune,
  checksaves,
  prove,
  restore,
  download,
]
