import { checkHost } from '../access/check-host.js'
import type { Action, Parameter } from '../action.js'
import type { Instance } from '../domain/instance.js'
import { changeKinds, changes, valuesOf, type Change } from '../instances/change.js'
import { checkUrl } from '../instances/check-url.js'
import { wireInstance } from '../instances/wire-instance.js'
import { runOperation } from './run-operation.js'

const name: Parameter = { name: 'name', type: 'instance', required: true, summary: 'Name of the instance' }
const url: Parameter = { name: 'url', type: 'text', required: true, summary: 'Custom URL, http or https' }

interface Flag extends Pick<Action, 'summary' | 'description'> {
  /** Of the instance, in the answer. */
  readonly state: (instance: Instance) => string
  readonly example?: string
}

const flags: Readonly<Record<Change, Flag>> = {
  protect: { summary: 'Protect an instance from reset and delete', state: () => 'is protected' },
  unprotect: { summary: 'Allow reset and delete of an instance again', state: () => 'is not protected' },
  autoupdate: {
    summary: 'Include an instance in nightly upgrades (upgradeall)',
    state: () => 'is upgraded automatically',
  },
  noautoupdate: {
    summary: 'Exclude an instance from nightly upgrades (upgradeall)',
    state: () => 'is not upgraded automatically',
  },
  autosave: { summary: 'Include an instance in nightly backups (saveall)', state: () => 'is saved automatically' },
  noautosave: {
    summary: 'Exclude an instance from nightly backups (saveall)',
    state: () => 'is not saved automatically',
  },
  seturl: {
    summary: 'Set the custom URL of an instance',
    description:
      'The address by which people know it, http or https, without parameters. With APPS_PROXY=yes the reverse proxy ' +
      'publishes it there, besides its standard address. Its host belongs to this instance alone: the host of the ' +
      'manager or of another instance is refused. A token for some instances needs the host among its --hosts.',
    state: ({ customUrl }) => `has the custom URL ${customUrl}`,
    example: 'seturl demo https://sales.example.com',
  },
  reseturl: { summary: 'Clear the custom URL of an instance', state: () => 'has no custom URL' },
}

export const flagActions: readonly Action[] = (Object.keys(changes) as Change[]).map((change) => {
  const { state, example = `${change} demo`, ...texts } = flags[change]
  return {
    name: change,
    group: 'Flags',
    ...texts,
    parameters: change === 'seturl' ? [name, url] : [name],
    ability: 'operate',
    mutating: true,
    examples: [example],
    view: { type: 'text' },
    async handler(call) {
      const { context, input } = call
      const before = context.registry.get(input.name as string)
      const customUrl = input.url === undefined ? {} : { customUrl: checkUrl(input.url as string) }
      if (customUrl.customUrl !== undefined)
        checkHost(call.caller, customUrl.customUrl, before, context.settings.global)
      const already = Object.entries(valuesOf(change, customUrl)).every(
        ([key, value]) => before[key as keyof Instance] === value,
      )
      return runOperation(call, changeKinds[change], { id: before.id, name: before.name, ...customUrl }, () => {
        const instance = context.registry.byId(before.id) as Instance
        const message = already
          ? `Nothing to do: instance "${instance.name}" ${state(instance)}.`
          : `Instance "${instance.name}" ${state(instance)} now.`
        return { message, item: wireInstance(instance, context.settings.global) }
      })
    },
  }
})
