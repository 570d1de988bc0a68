import { ManagerError } from '../../errors.js'
import type { ActionResult } from '../action.js'
import { accountNameAt } from '../instances/account-step.js'
import { isolateKind, unisolateKind } from '../instances/isolate.js'
import { ofSeveral } from '../operation/of-several.js'
import { defineAction, type CallPlace } from './define-action.js'
import { runOperation } from './run-operation.js'

export const isolateAction = defineAction({
  name: 'isolate',
  group: 'Instances',
  summary: 'Run an instance as its own system account',
  description:
    'For instances created before isolation was enabled (APPS_ISOLATION), or whose account is missing. Creates ' +
    'an account, gives it all files of the instance, and restarts the instance if it runs. The instance can then ' +
    'read nothing of the manager or of other instances. --undo runs it as the user of the manager again.',
  parameters: [{ name: 'name', type: 'instance', summary: 'Name of the instance' }],
  options: [
    { name: 'all', type: 'flag', summary: 'All instances without an account' },
    { name: 'undo', type: 'flag', summary: 'Run it as the user of the manager again' },
  ],
  ability: 'admin',
  mutating: true,
  examples: ['isolate demo', 'isolate --all', 'isolate demo --undo'],
  view: { type: 'table', columns: ['name', 'result', 'message'], empty: 'No instances match.' },
  handler(call) {
    const { name: instance, all, undo } = call.input
    if ((instance === undefined) !== all)
      throw new ManagerError('ERR_USAGE', 'Name an instance, or use --all.', { command: 'isolate --help' })
    if (!instance) return isolateAll(call, undo)
    const { id, name } = instance
    return runOperation(call, undo ? unisolateKind : isolateKind, { id, name }, () => ({
      message: messageOf(call, { id, name }),
    }))
  },
})

/** One after the other; one that fails does not keep the others from it. */
async function isolateAll({ context, caller }: CallPlace, undo: boolean): Promise<ActionResult> {
  const wanted = context.registry
    .instances()
    .filter(({ id }) => (accountNameAt(context.home.instance(id).folder) !== '') === undo)
  const list: { readonly name: string; readonly result: string; readonly message: string }[] = []
  for (const { id, name } of wanted) {
    if (caller.signal?.aborted) break
    const kind = undo ? unisolateKind : isolateKind
    try {
      if (caller.dryRun) {
        const { title } = await context.operations.plan(kind, { id, name }, ofSeveral(caller))
        list.push({ name, result: 'would be done', message: title })
      } else {
        await context.operations.run(kind, { id, name }, ofSeveral(caller))
        list.push({ name, result: 'done', message: messageOf({ context }, { id, name }) })
      }
    } catch (error) {
      if (!ManagerError.is(error)) throw error
      list.push({ name, result: 'failed', message: error.message })
    }
  }
  const failed = list.filter(({ result }) => result === 'failed').length
  return {
    message: `${list.length - failed} ${caller.dryRun ? 'would be done' : 'done'}, ${failed} failed.`,
    list,
    exitCode: failed > 0 ? 1 : 0,
  }
}

function messageOf({ context }: Pick<CallPlace, 'context'>, { id, name }: { id: string; name: string }): string {
  const account = accountNameAt(context.home.instance(id).folder)
  return account === '' ? `"${name}" runs as the user of the manager.` : `"${name}" runs as "${account}".`
}
