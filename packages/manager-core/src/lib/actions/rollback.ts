import { lastPart } from '../backup/choose-backup.js'
import { wireInstance } from '../instances/wire-instance.js'
import { rollbackKind } from '../upgrade/rollback.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'

export const rollback = defineAction({
  name: 'rollback',
  group: 'Instances',
  summary: 'Roll back the last upgrade of an instance, even if it succeeded',
  description:
    'Each upgrade leaves a restore point for APPS_RESTOREPOINTDAYS (see get). Rolling back restores the ' +
    'application, its version and revision, the settings, the documents and the data. --dry-run and the ' +
    'confirmation show how many rows of each object were added or changed since. The current state is backed up ' +
    'first, so you can undo the rollback by restoring that backup. If the upgrade changed no data, the data ' +
    'stays. If the old version is not healthy, or does not stay healthy for APPS_HEALTHWINDOW, the rollback is ' +
    'undone. upgradeall does not upgrade the instance to the same revision again; upgrade does, and so does ' +
    'upgradeall once there is a newer revision. Refused are protected instances that would lose data, and ' +
    'instances that were restored or reset since.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Name of the instance' }],
  options: [
    {
      name: 'no-save',
      type: 'flag',
      summary: 'Do not back up the current state first, if that is no longer possible',
    },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'Everything added to "{name}" since its last upgrade will be lost.',
  examples: ['rollback demo', 'rollback demo --dry-run', 'rollback demo --yes'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    const request = { id, name, save: !input['no-save'] }
    return runOperation(call, rollbackKind, request, ({ outcomes }) => {
      const now = context.registry.get(name)
      const saved = outcomes.get('save') as { readonly backup: string } | undefined
      const undo =
        saved === undefined
          ? `To upgrade it again: manager upgrade ${name}.`
          : `To undo this: manager restore ${name} --from ${lastPart(saved.backup)} --allow-newer.`
      return {
        message: `"${name}" is rolled back to ${now.version} of ${now.versionDate}. ${undo}`,
        item: {
          ...wireInstance(now, context.settings.global),
          saved: saved === undefined ? '' : lastPart(saved.backup),
        },
      }
    })
  },
})
