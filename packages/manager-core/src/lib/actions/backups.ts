import { saveKind } from '../backup/save.js'
import { autoSaved, saveAll } from '../backup/save-all.js'
import { wireBackup } from '../backup/wire-backup.js'
import { megabytes } from '../instances/inspect-creation.js'
import type { Action } from './action.js'
import { checksaves } from './check-saves.js'
import { download } from './download.js'
import { prove } from './prove.js'
import { backupsPrune } from './prune.js'
import { restore } from './restore.js'
import { runOperation } from './run-operation.js'

const save: Action = {
  name: 'save',
  group: 'Backups',
  summary: 'Save an instance: its database, application and files',
  description:
    'A backup is a folder in APPS_SAVE_DIR with a dump of the database, a tar of application and files, and a manifest, ' +
    'made with zstd and tar, so that it can be unpacked by hand. It is read back before it counts. An instance that runs ' +
    'is paused for a moment (APPS_SUSPENDMAX at most). The hooks pre-save.sh and post-save.sh run. Backups older than ' +
    'APPS_SAVE_DIR_DEPTH days are removed, never the newest good one.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to save' }],
  options: [
    {
      name: 'with-secrets',
      type: 'flag',
      summary: 'Also save its settings with their passwords, and the key of its tokens; needs encryption',
    },
  ],
  ability: 'operate',
  mutating: true,
  examples: ['save demo', 'save demo --dry-run'],
  view: { type: 'text' },
  handler(call) {
    const { context, input } = call
    const { id, name } = context.registry.get(input.name as string)
    return runOperation(
      call,
      saveKind,
      { id, name, automatic: false, secrets: input['with-secrets'] === true },
      async ({ outcomes }) => {
        const { backup, bytes } = outcomes.get('save') as { backup: string; bytes: number }
        return {
          message: `Instance "${name}" is saved: ${backup} (${megabytes(bytes)}).`,
          item: wireBackup(await context.backups.find(name, backup)),
        }
      },
    )
  },
}

const saveall: Action = {
  name: 'saveall',
  group: 'Backups',
  summary: 'Save all instances that are saved automatically (autosave)',
  description:
    'Into APPS_SAVEALL_DIR, one after the other, in the order of their names; within APPS_WINDOW when it is set. It stops ' +
    'after the first failure, which is mailed to APPS_EMAIL.',
  options: [{ name: 'keep-going', type: 'flag', summary: 'Go on with the others after a failure' }],
  ability: 'operate',
  mutating: true,
  examples: ['saveall', 'saveall --keep-going'],
  view: {
    type: 'table',
    columns: ['name', 'result', 'backup', 'message'],
    empty: 'No instance is saved automatically.',
  },
  async handler({ context, input, caller }) {
    if (caller.dryRun) {
      const list = autoSaved(context).map(({ name }) => ({ name, result: 'would be saved', backup: '', message: '' }))
      return { message: `${list.length} would be saved.`, list }
    }
    const { entries, warnings } = await saveAll(context, caller, { keepGoing: input['keep-going'] === true })
    const count = (result: string) => entries.filter((entry) => entry.result === result).length
    const message = `${count('saved')} saved, ${count('failed')} failed, ${count('not begun')} not begun.`
    return {
      message,
      list: entries,
      ...(warnings.length > 0 && { warnings }),
      ...(count('failed') > 0 && { exitCode: 1 }),
    }
  },
}

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

export const backupActions: readonly Action[] = [save, saveall, backups, verify, backupsPrune, checksaves, prove, restore, download]
