import { specOf } from '../application/instance-spec.js'
import type { ManagerContext, Step } from '../context.js'
import type { Instance } from '../domain/instance.js'

export interface DefineStepOptions {
  readonly row: Pick<Instance, 'id'>
  /** Home of the instance. */
  readonly folder: string
}

/** Makes what the runtime needs to start it. */
export function defineStep({ row: { id }, folder }: DefineStepOptions): Step {
  return {
    id: 'define',
    title: 'Set up the runtime',
    do: ({ context }) => define(context, id),
    undo: ({ context }) => context.runtimes.of({ id }).undefine({ id, folder }),
    check: () => 'not-done',
  }
}

/** Takes that away from one that is stopped. */
export function undefineStep({ row: { id }, folder }: DefineStepOptions): Step {
  return {
    id: 'undefine',
    title: 'Remove it from the runtime',
    do: ({ context }) => context.runtimes.of({ id }).undefine({ id, folder }),
    undo: ({ context }) => define(context, id),
    check: () => 'not-done',
  }
}

async function define(context: ManagerContext, id: string): Promise<void> {
  const instance = context.registry.byId(id) as Instance
  await context.runtimes.of(instance).define(await specOf(context, instance))
}
