import { lastPart } from '../backup/choose-backup.js'
import { wireInstance } from '../instances/wire-instance.js'
import { rollbackKind } from '../upgrade/rollback.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'

export const rollback = defineAction({
  name: 'rollback',
  group: 'Instances',
  summary: 'Undo the last upgrade of an instance, also one that succeeded',
  description:
    'An upgrade leaves a restore point, which is kept for APPS_RESTOREPOINTDAYS (get shows it). It brings back the ' +
    'application, its version and revision, the settings, the documents and the data as they were; before that, --dry-run and the ' +
    'question show how many rows of each object were added or changed since, and the present state is saved, so that a ' +
    'restore of that backup undoes the rollback. An upgrade that changed no data leaves a restore point of the application ' +
    'only: the data stay then. When the old version does not get healthy, or does not stay so for APPS_HEALTHWINDOW, ' +
    'everything is put back. upgradeall does not upgrade the instance to the same revision again; upgrade does, and so ' +
    'does upgradeall once there is a newer one. Refused is an instance that is protected and would lose data, and one that ' +
    'was restored or reset since.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Name of the instance' }],
  options: [
    {
      name: 'no-save',
      type: 'flag',
      summary: 'Do not save the present state first, for when it cannot be saved any more',
    },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'What "{name}" has got since its last upgrade will be lost.',
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
        message: `"${name}" is back at ${now.version} of ${now.versionDate}. ${undo}`,
        item: {
          ...wireInstance(now, context.settings.global),
          saved: saved === undefined ? '' : lastPart(saved.backup),
        },
      }
    })
  },
})
