import { ManagerError } from '../../errors.js'
import { copyTo, failureText } from '../backup/copies/copy-to.js'
import { endWanted } from '../backup/copies/copy-wanted.js'
import { fetchBackup } from '../backup/copies/fetch-backup.js'
import { findCopy } from '../backup/copies/list-copies.js'
import { remoteIn } from '../backup/copies/remote-backup.js'
import { storedBytes } from '../backup/manifest.js'
import { wireBackup } from '../backup/wire-backup.js'
import { sizeText } from '../domain/readable.js'
import { exportManager } from '../recovery/export-manager.js'
import { chosenTargets } from '../targets/chosen-targets.js'
import { defineAction } from './define-action.js'
import { nameOfBackup, whichBackup } from './shared-inputs.js'

export const backupsFetch = defineAction({
  name: 'backups fetch',
  group: 'Backups',
  summary: 'Fetch a backup from a target into APPS_SAVE_DIR',
  description:
    'The backup appears locally once every byte is verified. An interrupted fetch resumes with the files that ' +
    'are missing. An existing local backup is left alone unless it is damaged; then it is replaced.',
  parameters: [nameOfBackup],
  options: [
    {
      name: 'from',
      type: 'text',
      summary: '<target> for the latest backup there, or <target>:<backup or the prefix of its name>',
    },
  ],
  ability: 'operate',
  mutating: true,
  examples: ['backups fetch demo --from scp', 'backups fetch demo --from scp:20261121T03'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    if (input.from === undefined)
      throw new ManagerError('ERR_USAGE', 'backups fetch needs --from <target>[:<backup>].', {
        command: 'backups fetch --help',
      })
    const from = input.from
    const wanted = remoteIn(from) ?? { target: from, backup: 'latest' }
    const copy = await findCopy(context, input.name, wanted, { signal: caller.signal })
    if (caller.dryRun) {
      const bytes = storedBytes(copy.manifest.files)
      return { message: `${copy.key} (${sizeText(bytes)}) would be fetched from "${copy.target}": nothing was done.` }
    }
    const { backup, message } = await fetchBackup(context, caller, copy)
    return { message, item: wireBackup(backup) }
  },
})

export const backupsExport = defineAction({
  name: 'backups export',
  group: 'Backups',
  summary: 'Copy a backup to targets',
  description:
    'A copy counts only once it is complete and every file is verified. You can repeat the command: good files ' +
    'are not sent again, interrupted uploads resume, and damaged copies are replaced.',
  parameters: [nameOfBackup, whichBackup],
  options: [
    { name: 'to', type: 'text', summary: 'Targets, separated by commas (default: all)' },
    { name: 'read-back', type: 'flag', summary: 'Read every byte back, even if the store reports its own hashes' },
  ],
  ability: 'operate',
  mutating: true,
  examples: ['backups export demo', 'backups export demo 20261121T030000Z --to scp,s3'],
  view: { type: 'text' },
  async handler({ context, input, caller }) {
    const targets = chosenTargets(context.targets, input.to ?? 'all')
    if (targets.length === 0) throw new ManagerError('ERR_USAGE', 'No target is set.', { command: 'target list' })
    const backup = await context.backups.find(input.name, input.backup ?? 'latest')
    const { key, manifest } = backup
    if (caller.dryRun) {
      const bytes = storedBytes(manifest.files)
      return { message: `${key} (${sizeText(bytes)}) would be copied to ${targets.join(', ')}: nothing was done.` }
    }
    const report = await copyTo(context, caller, { backup, targets, readBack: input['read-back'] })
    const { copied, failed } = report
    const failure = failureText(backup, report)
    // A single one reports its error unchanged.
    if (failed[0] && copied.length === 0 && failed.length === 1) throw failed[0].error
    const { failures } = await exportManager(context, caller, copied)
    const warnings = [...report.warnings, ...(await endWanted(context, caller, backup, copied)), ...failures]
    const done = `The backup ${key} is at ${copied.join(', ')}.`
    return {
      message: [...(copied.length > 0 ? [done] : []), ...(failure === undefined ? [] : [failure])].join('\n'),
      ...(warnings.length > 0 && { warnings }),
      ...(failure !== undefined && { exitCode: 1 }),
    }
  },
})
