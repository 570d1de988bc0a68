import { checkHost } from '../access/check-host.js'
import type { Action, Parameter } from '../action.js'
import type { Instance } from '../domain/instance.js'
import { changeKinds, changes, valuesOf, type Change } from '../instances/change.js'
import { checkUrl } from '../instances/check-url.js'
import { wireInstance } from '../instances/wire-instance.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

const url = {
  name: 'url',
  type: 'text',
  required: true,
  summary: 'Custom URL, http or https',
} as const satisfies Parameter

interface Flag extends Pick<Action, 'summary' | 'description'> {
  /** The instance's state, for the answer. */
  readonly state: (instance: Instance) => string
  readonly example?: string
}

const flags: Readonly<Record<Change, Flag>> = {
  protect: { summary: 'Protect an instance from reset and delete', state: () => 'is protected' },
  unprotect: { summary: 'Allow reset and delete of an instance again', state: () => 'is not protected' },
  autoupdate: {
    summary: 'Include an instance in nightly upgrades (upgradeall)',
    state: () => 'is included in nightly upgrades',
  },
  noautoupdate: {
    summary: 'Exclude an instance from nightly upgrades (upgradeall)',
    state: () => 'is not included in nightly upgrades',
  },
  autosave: {
    summary: 'Include an instance in nightly backups (saveall)',
    state: () => 'is included in nightly backups',
  },
  noautosave: {
    summary: 'Exclude an instance from nightly backups (saveall)',
    state: () => 'is not included in nightly backups',
  },
  seturl: {
    summary: 'Set the custom URL of an instance',
    description:
      'The public address of the instance, http or https, without parameters. With APPS_PROXY=yes, the reverse ' +
      'proxy publishes the instance there, in addition to its standard address. The host belongs to this instance ' +
      'alone; hosts of the manager or of another instance are refused. A token for some instances needs the host ' +
      'among its --hosts.',
    state: ({ customUrl }) => `has the custom URL ${customUrl}`,
    example: 'seturl demo https://sales.example.com',
  },
  reseturl: { summary: 'Clear the custom URL of an instance', state: () => 'has no custom URL' },
}

export const flagActions: readonly Action[] = (Object.keys(changes) as Change[]).map((change) => {
  const { state, example = `${change} demo`, ...texts } = flags[change]
  return defineAction({
    name: change,
    group: 'Flags',
    ...texts,
    parameters: change === 'seturl' ? [nameOfInstance, url] : [nameOfInstance],
    ability: 'operate',
    mutating: true,
    examples: [example],
    view: { type: 'text' },
    async handler(call) {
      const { context, caller, input } = call
      const before = input.name
      // Only seturl has one.
      const given: string | undefined = input.url
      const customUrl = given === undefined ? {} : { customUrl: checkUrl(given) }
      if (customUrl.customUrl !== undefined) checkHost(caller, customUrl.customUrl, before, context.settings.global)
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
  })
})
