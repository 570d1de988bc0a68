import { ManagerError } from '../../errors.js'
import type { Instance } from '../domain/instance.js'
import type { SettingDescription } from '../settings/settings.js'
import { targetHints } from '../targets/target-hints.js'
import { defineAction, type CallPlace } from './define-action.js'

export const configAction = defineAction({
  name: 'config',
  group: 'Manager',
  summary: 'Show the settings: value, default and source',
  description:
    'Without --all, shows only variables that have a value. Suspicious values have a hint. Passwords and keys ' +
    'are shown as ***. --all also describes each variable.',
  parameters: [
    {
      name: 'filter',
      type: 'text',
      variadic: true,
      summary: 'Parts of names or sections, such as MAIL or backups, to filter by',
    },
  ],
  options: [
    { name: 'all', type: 'flag', summary: 'Include variables without a value' },
    { name: 'of-version', type: 'version', summary: 'Show the settings of a version (version-<version>.sh)' },
    { name: 'of-instance', type: 'instance', summary: 'Show the settings of an instance' },
    { name: 'changed', type: 'flag', summary: 'Show only variables that are set or have a hint' },
  ],
  ability: 'read',
  mutating: false,
  examples: ['config', 'config MAIL', 'config --all --json', 'config --of-version 1.0', 'config --of-instance demo'],
  view: {
    type: 'table',
    columns: ['name', 'value', 'default', 'origin'],
    below: 'hint',
    empty: 'No matching variable has a value. To include those without a value, add --all.',
  },
  async handler(call) {
    const { context, input } = call
    const filters = (input.filter ?? []).map((text) => text.toLowerCase())
    const isMeant = ({ name, section }: SettingDescription) =>
      filters.length === 0 ||
      filters.some((text) => name.toLowerCase().includes(text) || section.toLowerCase().includes(text))
    const isShown = ({ value, origin, hint }: SettingDescription) => {
      const isSet = origin !== 'default'
      if (input.changed) return isSet || hint !== undefined
      return input.all || value !== undefined || hint !== undefined
    }
    const subject = subjectOf(call, input['of-version'], input['of-instance'])
    const described = await withHints(call, context.settings.describe(subject), subject === undefined)
    const shown = described.filter((setting) => isMeant(setting) && isShown(setting))
    // Numbers of wrong values are of all settings: a filter hides no fault.
    const hints = described.filter(({ hint }) => hint !== undefined).length
    return {
      message:
        `${shown.length} of ${described.length} variables; ` +
        (hints === 0 ? 'no problems found' : `${hints} with a hint`),
      list: shown.map((setting) => ({ ...setting })),
      ...(input.all && { below: ['summary', 'hint'] }),
      data: {
        home: context.home.folder,
        config: Object.fromEntries(shown.map(({ name, value }) => [name, value ?? null])),
      },
    }
  },
})

/** With hints on options that only the types of targets know. */
async function withHints(
  { context }: CallPlace,
  described: readonly SettingDescription[],
  isOfManager: boolean,
): Promise<readonly SettingDescription[]> {
  if (!isOfManager) return described
  const hints = await targetHints(context.targets)
  return described.map((setting) => {
    const hint = setting.hint ?? hints.get(setting.name)
    return hint === undefined ? setting : { ...setting, hint }
  })
}

/** Whose settings; undefined: the manager's. */
function subjectOf({ context }: CallPlace, version: string | undefined, instance: Instance | undefined) {
  if (version !== undefined && instance !== undefined)
    throw new ManagerError('ERR_USAGE', 'Use either --of-version or --of-instance, not both.')
  if (version !== undefined) return { version }
  if (instance === undefined) return undefined
  return { folder: context.home.instance(instance.id).folder }
}
