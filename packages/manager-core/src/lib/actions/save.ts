import type { Option } from '../action.js'
import { raiseAlarm } from '../backup/alarm.js'
import { copyWanted } from '../backup/copies/copy-wanted.js'
import { saveKind } from '../backup/save.js'
import { autoSaved, saveAll } from '../backup/save-all.js'
import { wireBackup } from '../backup/wire-backup.js'
import { sizeText } from '../domain/readable.js'
import { exportManager } from '../recovery/export-manager.js'
import { chosenTargets } from '../targets/chosen-targets.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'

const to = {
  name: 'to',
  type: 'text',
  summary: 'Copy it to these targets, separated by commas; "all": to each that is set',
} as const satisfies Option

export const save = defineAction({
  name: 'save',
  group: 'Backups',
  summary: 'Save an instance: its database, application and files',
  description:
    'A backup is a folder in APPS_SAVE_DIR with a dump of the database, a tar of application and files, and a manifest, ' +
    'made with zstd and tar, so that it can be unpacked by hand. With APPS_BACKUP_RECIPIENTS or APPS_BACKUP_PASSPHRASE ' +
    'its files are encrypted, in the format of age. It is read back before it counts. An instance that runs is paused ' +
    'for a moment (APPS_SUSPENDMAX at most). The hooks pre-save.sh and post-save.sh run. Backups that no rule keeps ' +
    'any more are removed (backups prune), never the newest good one.\n\n' +
    'With --to it is copied to targets (target list) then, and each copy is compared with it. When one fails, the backup ' +
    'stays good and is kept: the exit code is 1, and backups export goes on with the copy.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to save' }],
  options: [
    to,
    {
      name: 'with-secrets',
      type: 'flag',
      summary: 'Also save its settings with their passwords, and the key of its tokens; needs encryption',
    },
  ],
  ability: 'operate',
  mutating: true,
  examples: [
    'save demo',
    'save demo --to scp,s3',
    'save demo --to all',
    'save demo --with-secrets',
    'save demo --dry-run',
  ],
  view: { type: 'text' },
  handler(call) {
    const { context, input, caller } = call
    const { id, name } = input.name
    const copyTo = chosenTargets(context.targets, input.to ?? 'none')
    const request = { id, name, automatic: false, secrets: input['with-secrets'], copyTo }
    return runOperation(call, saveKind, request, async ({ outcomes, warnings }) => {
      const { backup: key, bytes } = outcomes.get('save') as { backup: string; bytes: number }
      const wanted = await copyWanted(context, caller, await context.backups.find(name, key))
      const { failures } = await exportManager(context, caller, copyTo)
      const copied = copyTo.filter((target) => !wanted.failed.includes(target))
      const where = copied.length > 0 ? ` It is also at ${copied.join(', ')}.` : ''
      const message = `Instance "${name}" is saved: ${key} (${sizeText(bytes)}).${where}`
      const allWarnings = [...warnings, ...wanted.warnings, ...failures]
      return {
        message: wanted.failure === undefined ? message : `${message}\n${wanted.failure}`,
        item: wireBackup(await context.backups.find(name, key)),
        ...(allWarnings.length > 0 && { warnings: allWarnings }),
        ...(wanted.failure !== undefined && { exitCode: 1 }),
      }
    })
  },
})

export const saveall = defineAction({
  name: 'saveall',
  group: 'Backups',
  summary: 'Save all instances that are saved automatically (autosave)',
  description:
    'Into APPS_SAVEALL_DIR, APPS_SAVEALL_PARALLEL at a time, in the order of their names; within APPS_WINDOW when it is ' +
    'set. Each backup is copied to all targets that are set (target list), and so are earlier ones whose copies failed. ' +
    'With APPS_SAVEALL_REMOVE_LOCAL a backup is removed here when every byte of every copy was read back and is right.\n\n' +
    'One that fails keeps no other one from being saved; it ends with 1 then. Failures are mailed to APPS_EMAIL, and ' +
    'monitoring.sh is called with the name of the instance and save-failed or copy-failed.',
  options: [
    { name: 'keep-going', type: 'flag', summary: 'Without effect: it always goes on; for schedules that name it' },
    {
      name: 'parallel',
      type: 'integer',
      min: 1,
      max: 64,
      summary: 'How many at the same time (default: APPS_SAVEALL_PARALLEL)',
    },
    { ...to, summary: 'Copy them to these targets only, separated by commas; "none": to none (default: all)' },
  ],
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['saveall', 'saveall --parallel 4', 'saveall --to scp', 'saveall --to none'],
  view: {
    type: 'table',
    columns: ['name', 'result', 'backup', 'message'],
    empty: 'No instance is saved automatically.',
  },
  async handler({ context, input, caller }) {
    // Whoever names none takes what there is, which may be none.
    const { all } = context.targets
    const copyTo = input.to === undefined ? all.map(({ name }) => name) : chosenTargets(context.targets, input.to)
    if (caller.dryRun) {
      const where = copyTo.length > 0 ? `, and copied to ${copyTo.join(', ')}` : ''
      const result = `would be saved${where}`
      const list = autoSaved(context).map(({ name }) => ({ name, result, backup: '', message: '' }))
      return { message: `${list.length} would be saved${where}.`, list }
    }
    const { entries, warnings } = await saveAll(context, caller, {
      parallel: input.parallel ?? context.settings.global.saveAllParallel,
      copyTo,
    })
    const { failures } = await exportManager(context, caller, copyTo)
    if (failures.length > 0)
      await raiseAlarm(context, {
        subject: 'copying the registry and the settings failed',
        text: failures.join('\n'),
        instances: [],
      })
    const count = (result: string) => entries.filter((entry) => entry.result === result).length
    const message = `${count('saved')} saved, ${count('failed')} failed, ${count('not begun')} not begun.`
    return {
      message,
      list: entries,
      ...(warnings.length + failures.length > 0 && { warnings: [...warnings, ...failures] }),
      ...(count('failed') + failures.length > 0 && { exitCode: 1 }),
    }
  },
})
