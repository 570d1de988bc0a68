import type { ManagerContext, OperationKind, Step, StepRun } from '../context.js'
import { defineStep } from './define-step.js'
import { existing } from './existing.js'
import { startStep, stopStep } from './runtime-steps.js'
import { stageOf } from './stage.js'

/**
 * Writes into the settings of a home whether its instance is neutralised: its application then sends nothing out. It
 * holds from the next start. May be repeated.
 *
 * @param folder home of an instance, or what an operation lays out for one
 */
export async function neutralise(
  { settings }: Pick<ManagerContext, 'settings'>,
  folder: string,
  neutralised = true,
): Promise<void> {
  await settings.writeInstance(folder, { ...(await settings.instance(folder)), neutralised })
}

/** Neutralises the instance that is laid out, before it is put in its place and started. */
export function neutraliseStep(): Step {
  return {
    id: 'neutralise',
    title: 'Block outgoing messages',
    do: (run) => neutralise(run.context, stageOf(run).folder),
    // It goes with what is laid out.
    check: () => 'not-done',
  }
}

export type NeutraliseRequest = { readonly id: string; readonly name: string }

type NeutraliseFacts = { readonly name: string; readonly folder: string; readonly before: boolean }

/** Kinds by command. A running instance is started again, because only a start heeds it. */
export const neutraliseKinds = {
  neutralise: neutraliseKind('neutralise', true),
  unneutralise: neutraliseKind('unneutralise', false),
} as const

function neutraliseKind(kind: string, to: boolean): OperationKind<NeutraliseRequest, NeutraliseFacts> {
  return {
    kind,
    locks: ({ id }) => [`instance:${id}`],
    async inspect(request, context) {
      const { id, name } = existing(context.registry, request)
      const { folder } = context.home.instance(id)
      const { neutralised = false } = await context.settings.instance(folder)
      return { name, folder, before: neutralised }
    },
    plan({ id }, { name, folder, before }) {
      const instance = { id, name }
      return {
        title: to ? `Neutralise instance "${name}"` : `Allow outgoing messages of instance "${name}"`,
        instance,
        steps:
          before === to
            ? []
            : [
                stopStep({ instance, folder }),
                changeStep(folder, to),
                defineStep({ row: { id }, folder }),
                startStep({ instance, folder, stopStepId: 'stop' }),
              ],
        notes: before === to ? [] : ['It is restarted if it is running.'],
      }
    },
  }
}

function changeStep(folder: string, to: boolean): Step {
  const set = (neutralised: boolean) => (run: StepRun) => neutralise(run.context, folder, neutralised)
  return {
    id: 'settings',
    title: to ? 'Block outgoing messages' : 'Allow outgoing messages',
    do: set(to),
    undo: set(!to),
    check: () => 'not-done',
  }
}
