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
  summary: 'Targets to copy it to, separated by commas, or "all"',
} as const satisfies Option

export const save = defineAction({
  name: 'save',
  group: 'Backups',
  summary: 'Back up an instance: database, application and files',
  description:
    'A backup is a folder in APPS_SAVE_DIR with a dump of the database, a tar of application and files, and a ' +
    'manifest. It uses zstd and tar, so you can unpack it without the manager. With APPS_BACKUP_RECIPIENTS or ' +
    'APPS_BACKUP_PASSPHRASE, its files are encrypted in the age format. The backup is verified before it counts. ' +
    'A running instance is paused briefly (at most APPS_SUSPENDMAX). Runs the hooks pre-save.sh and ' +
    'post-save.sh. Then removes backups that no rule keeps (see backups prune), but never the latest good ' +
    'one.\n\n--to then copies the backup to targets (see target list) and verifies each copy. If a copy fails, ' +
    'the backup is kept and the exit code is 1; to resume the copy, use backups export.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to back up' }],
  options: [
    to,
    {
      name: 'with-secrets',
      type: 'flag',
      summary: 'Include settings with passwords and the token key; requires encryption',
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
      const message = `Instance "${name}" is backed up: ${key} (${sizeText(bytes)}).${where}`
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
  summary: 'Back up all instances included in nightly backups (autosave)',
  description:
    'Writes to APPS_SAVEALL_DIR, in the order of names, APPS_SAVEALL_PARALLEL instances at the same time; within ' +
    'APPS_WINDOW if that is set. Copies each backup to all targets (see target list), including earlier backups ' +
    'whose copies failed. With APPS_SAVEALL_REMOVE_LOCAL, a local backup is removed once every byte of every ' +
    'copy is verified.\n\nIf a backup fails, the others still run, and the exit code is 1. Failures are mailed ' +
    'to APPS_EMAIL, and monitoring.sh is called with the name of the instance and save-failed or copy-failed.',
  options: [
    { name: 'keep-going', type: 'flag', summary: 'No effect: it always continues; kept for existing schedules' },
    {
      name: 'parallel',
      type: 'integer',
      min: 1,
      max: 64,
      summary: 'Number of simultaneous backups (default: APPS_SAVEALL_PARALLEL)',
    },
    { ...to, summary: 'Targets to copy them to, separated by commas, or "none" (default: all)' },
  ],
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['saveall', 'saveall --parallel 4', 'saveall --to scp', 'saveall --to none'],
  view: {
    type: 'table',
    columns: ['name', 'result', 'backup', 'message'],
    empty: 'No instance is included in nightly backups.',
  },
  async handler({ context, input, caller }) {
    // A call that names none takes what there is, which may be none.
    const { all } = context.targets
    const copyTo = input.to === undefined ? all.map(({ name }) => name) : chosenTargets(context.targets, input.to)
    if (caller.dryRun) {
      const where = copyTo.length > 0 ? `, and copied to ${copyTo.join(', ')}` : ''
      const result = `would be backed up${where}`
      const list = autoSaved(context).map(({ name }) => ({ name, result, backup: '', message: '' }))
      return { message: `${list.length} would be backed up${where}.`, list }
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
    // words-allow: begun, the name of a result
    const message = `${count('saved')} backed up, ${count('failed')} failed, ${count('not begun')} not started.`
    return {
      message,
      list: entries,
      ...(warnings.length + failures.length > 0 && { warnings: [...warnings, ...failures] }),
      ...(count('failed') + failures.length > 0 && { exitCode: 1 }),
    }
  },
})
