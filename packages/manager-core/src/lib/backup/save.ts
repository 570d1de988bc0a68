import { rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import type { OperationKind, Plan, Step } from '../context.js'
import { existing } from '../instances/existing.js'
import { hookStep } from '../instances/hook-steps.js'
import { isEncrypting } from './encryption.js'
import { checkRoom } from './expected-bytes.js'
import { newBackup, type NewBackup } from './new-backup.js'
import { prune } from './prune.js'
import { forgetBackup } from './remove-backup.js'
import { saveSteps } from './save-steps.js'
import { changeStatus, type WantedCopies } from './status.js'

export type SaveRequest = {
  readonly id: string
  readonly name: string
  /** By `saveall`. */
  readonly automatic: boolean
  /** Also its settings, with its passwords, and the key of its tokens; only into what is encrypted. */
  readonly secrets: boolean
  /** Names of targets that it is to be copied to; the copies are made when it has ended. */
  readonly copyTo: readonly string[]
}

type SaveFacts = NewBackup & {
  readonly name: string
  readonly folder: string
}

/** Saves an instance, and removes backups of it that have expired. */
export const saveKind: OperationKind<SaveRequest, SaveFacts> = {
  kind: 'save',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name, automatic, secrets }, context) {
    const instance = existing(context.registry, { id, name })
    if (secrets && !isEncrypting(context.settings.global.backupEncryption))
      throw new ManagerError('ERR_SETTINGS', 'Only encrypted backups can contain secrets.', {
        help: 'Set APPS_BACKUP_RECIPIENTS (public age keys) or APPS_BACKUP_PASSPHRASE, or leave out --with-secrets.',
        command: 'config',
      })
    const backup = await newBackup(context, instance, { automatic })
    await checkRoom(context, instance, backup.target)
    return { ...backup, name: instance.name, folder: context.home.instance(id).folder }
  },
  plan: planSave,
}

function planSave({ id, automatic, secrets, copyTo }: SaveRequest, { name, folder, key, target }: SaveFacts): Plan {
  const instance = { id, name }
  const hook = { args: [name], folder, instance, input: { action: 'save', instance: name, backup: key, automatic } }
  return {
    title: `Back up instance "${name}"`,
    instance,
    steps: [
      hookStep({ ...hook, hook: 'pre-save' }),
      ...(copyTo.length > 0 ? [wantStep(target, { targets: copyTo, automatic })] : []),
      ...saveSteps({ instance, folder, target, backup: key, suspend: true, secrets, encrypt: true }),
      // It is a good backup from here on, whatever follows.
      { ...pruneStep(name, key), pointOfNoReturn: true },
      hookStep({ ...hook, hook: 'post-save' }),
    ],
    notes: [
      `The backup is written to ${target}.`,
      'The instance is paused briefly if it is running.',
      ...(copyTo.length > 0 ? [`The backup is then copied to ${copyTo.join(', ')}.`] : []),
    ],
  }
}

/** Before it is a backup, so that its copies are made by the next `saveall` when this process dies as soon as it is one. */
function wantStep(target: string, wanted: WantedCopies): Step {
  return {
    id: 'want',
    title: 'Record the targets to copy it to',
    async do() {
      await makeFolder(dirname(target), 0o700)
      await changeStatus(target, (status) => ({ ...status, wanted }))
    },
    async undo() {
      await forgetBackup(target)
      // When it was the first one, its folder goes, too.
      await rmdir(dirname(target)).catch(() => undefined)
    },
    check: () => 'not-done',
  }
}

/** @param saved key of the backup that was read back a moment ago */
function pruneStep(name: string, saved: string): Step {
  return {
    id: 'prune',
    title: 'Remove expired backups',
    async do(run) {
      try {
        const verdicts = await prune(run.context, name, saved)
        return { removed: verdicts.filter(({ keep }) => !keep).map(({ backup }) => backup.key) }
      } catch (error) {
        run.warn(`Expired backups could not be removed: ${(error as Error).message}`)
        return { removed: [] }
      }
    },
    check: () => 'not-done',
  }
}
