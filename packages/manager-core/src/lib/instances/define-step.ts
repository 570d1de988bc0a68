import type { Instance } from '../domain/instance.js'
import type { Step } from '../operation/operation.js'
import { specOf } from './instance-spec.js'

/** Makes what the runtime needs to start it. */
export function defineStep({
  row: { id },
  folder,
}: {
  readonly row: Pick<Instance, 'id'>
  readonly folder: string
}): Step {
  return {
    id: 'define',
    title: 'Prepare its runtime',
    async do({ context }) {
      await context.runtime.define(await specOf(context, context.registry.byId(id) as Instance))
    },
    undo: ({ context }) => context.runtime.undefine({ id, folder }),
    check: () => 'not-done',
  }
}
