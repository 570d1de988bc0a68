import { ManagerError } from '../../errors.js'
import type { OperationKind, Plan, Step } from '../context.js'
import { checkName } from '../domain/names.js'
import type { Settings } from '../settings/settings.js'
import { renameInRequests } from '../store/request-rows.js'
import { checkNamedAddress } from './addresses.js'
import { checkDataThere } from './data-there.js'
import { defineStep } from './define-step.js'
import { existing } from './existing.js'
import { checkNameFree } from './inspect-creation.js'
import { contextOf } from './new-settings.js'
import { startStep, stopStep } from './runtime-steps.js'

export type RenameRequest = { readonly id: string; readonly name: string; readonly to: string }

type RenameFacts = {
  readonly name: string
  readonly folder: string
  /** SERVICE_CONTEXT before and after; null: it does not change. */
  readonly context: { readonly from: string; readonly to: string } | null
}

/** Gives an instance another name. Ids name folders and databases, so nothing moves. */
export const renameKind: OperationKind<RenameRequest, RenameFacts> = {
  kind: 'rename',
  locks: ({ id, to }) => [`instance:${id}`, `name:${to.toLowerCase()}`],
  async inspect(request, context) {
    const { id, to } = request
    checkName(to)
    const before = existing(context.registry, request)
    const { name } = before
    if (name === to)
      throw new ManagerError('ERR_STATE', `The instance is already named "${to}".`, { command: `get ${to}` })
    if (name.toLowerCase() !== to.toLowerCase()) checkNameFree(to, context)
    checkNamedAddress({ ...before, name: to }, context)
    const { folder } = context.home.instance(id)
    const from = (await context.settings.instance(folder)).context
    const wanted = contextOf(to, context.settings.global)
    if (from === wanted) return { name, folder, context: null }
    await checkDataThere(context, before)
    return { name, folder, context: { from, to: wanted } }
  },
  plan: planRename,
}

function planRename({ id, to }: RenameRequest, { name, folder, context }: RenameFacts): Plan {
  const instance = { id, name }
  const restart: readonly Step[] = context
    ? [
        stopStep({ instance, folder }),
        contextStep(folder, context),
        defineStep({ row: { id }, folder }),
        startStep({ instance, folder, stopStepId: 'stop' }),
      ]
    : []
  return {
    title: `Rename instance "${name}" to "${to}"`,
    instance,
    steps: restart,
    notes: context ? [`Its context becomes ${context.to}, and it is restarted if it is running.`] : [],
    commit(registry, run) {
      checkNamedAddress({ ...existing(run.context.registry, instance), name: to }, run.context)
      registry.updateInstance(id, { name: to })
      renameInRequests(run.context.registry, name, to)
    },
  }
}

function contextStep(folder: string, context: NonNullable<RenameFacts['context']>): Step {
  return {
    id: 'settings',
    title: `Change its context from ${context.from} to ${context.to}`,
    do: (run) => write(run.context.settings, context.to),
    undo: (run) => write(run.context.settings, context.from),
    check: () => 'not-done',
  }

  async function write(settings: Settings, to: string): Promise<void> {
    await settings.writeInstance(folder, { ...(await settings.instance(folder)), context: to })
  }
}
