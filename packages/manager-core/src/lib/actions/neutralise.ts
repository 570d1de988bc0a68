import type { Action } from '../action.js'
import { neutraliseKinds } from '../instances/neutralise.js'
import { wireInstance } from '../instances/wire-instance.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

const texts = {
  neutralise: {
    summary: 'Block outgoing mail, webhooks and other messages of an instance',
    description:
      'For copies of production: webhooks are not called, and pending or new messages are never sent. Code of the ' +
      'application sees STEWARD_NEUTRALISED=true. The instance is restarted if it runs. Clones with --anonymise ' +
      'are neutralised before their first start.',
    state: 'sends nothing out',
  },
  unneutralise: {
    summary: 'Allow a neutralised instance to send messages again',
    description: 'Check its webhooks first: they may call production systems. The instance is restarted if it runs.',
    state: 'sends again',
  },
} as const

export const neutraliseActions: readonly Action[] = (['neutralise', 'unneutralise'] as const).map((name) => {
  const { state, ...rest } = texts[name]
  return defineAction({
    name,
    group: 'Flags',
    ...rest,
    parameters: [nameOfInstance],
    ability: 'operate',
    mutating: true,
    examples: [`${name} demo`],
    view: { type: 'text' },
    handler(call) {
      const { context, input } = call
      const { id, name: instance } = input.name
      return runOperation(call, neutraliseKinds[name], { id, name: instance }, () => ({
        message: `Instance "${instance}" ${state} now.`,
        item: wireInstance(context.registry.get(instance), context.settings.global),
      }))
    },
  })
})
