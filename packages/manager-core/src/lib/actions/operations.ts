import { ManagerError } from '../../errors.js'
import type { Action, Parameter } from '../action.js'
import type { Caller } from '../domain/caller.js'
import { isInScope } from '../domain/grant.js'
import type { Json } from '../domain/json.js'
import { countText } from '../domain/readable.js'
import { recordHistory } from '../history/record-history.js'
import { shownStates, type OperationItem } from '../runs/operation-item.js'
import { defineAction } from './define-action.js'

const id = { name: 'id', type: 'text', required: true, summary: 'Id of the operation' } as const satisfies Parameter

export const operationActions: readonly Action[] = [
  defineAction({
    name: 'operations',
    group: 'Looking',
    summary: 'List operations, running and past, of the command line and of the server',
    description: 'Latest first. API calls are kept for a week with their answers, operations permanently.',
    options: [
      { name: 'limit', type: 'integer', min: 1, max: 1000, summary: 'Maximum number of operations (default: 50)' },
      { name: 'state', type: 'choice', choices: shownStates, summary: 'State' },
      { name: 'instance', type: 'text', summary: 'Name of the instance' },
    ],
    ability: 'read',
    mutating: false,
    scoped: true,
    examples: ['operations', 'operations --state running', 'operations --instance demo --limit 10'],
    view: {
      type: 'table',
      columns: ['id', 'started', 'actor', 'title', 'state'],
      below: 'message',
      empty: 'No operations match.',
    },
    async handler({ context: { runs }, input, caller }) {
      const list = await runs.list({
        limit: input.limit,
        state: input.state,
        instance: input.instance,
        scope: caller.grant.scope,
      })
      return { message: countText(list.length, 'operation'), list: list as never }
    },
  }),
  defineAction({
    name: 'operation show',
    aliases: ['operation'],
    group: 'Looking',
    summary: 'Show one operation with its steps',
    parameters: [id],
    ability: 'read',
    mutating: false,
    follows: 'id',
    scoped: true,
    examples: ['operation 0199f0f2-6a0b-7a53-8d39-0f0a9f1c7e11', 'operation show 0199f0f2-6a0b-7a53-8d39-0f0a9f1c7e11'],
    view: { type: 'record' },
    async handler({ context: { runs }, input, caller }) {
      const item = allowed(runs.find(input.id), input.id, caller)
      return { message: `${item.title}: ${item.state.replace('_', ' ')}`, item: item as unknown as Json }
    },
  }),
  defineAction({
    name: 'operation cancel',
    group: 'Manager',
    summary: 'Cancel an operation that the server runs',
    description:
      'A queued operation is removed; a running one is rolled back, unless it is past its point of no return. To ' +
      'cancel a command, press Ctrl-C where it runs.',
    parameters: [id],
    ability: 'operate',
    mutating: true,
    scoped: true,
    direct: true,
    examples: ['operation cancel 0199f0f2-6a0b-7a53-8d39-0f0a9f1c7e11'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const { runs } = context
      const wanted = input.id
      const { instance_id: id, instance: name } = allowed(runs.find(wanted), wanted, caller)
      if (caller.dryRun) return { message: `Would cancel operation ${wanted}.` }
      const entry = { action: 'operation cancel', instance: { id, name }, parameters: { operation: wanted } }
      return recordHistory(context, caller, entry, async () => {
        const { title } = await runs.cancel(wanted, caller.actor)
        return { message: `${title}: it is being cancelled.`, operation: wanted }
      })
    },
  }),
  defineAction({
    name: 'operation retry',
    group: 'Manager',
    summary: 'Try again to finish or roll back an operation that needs attention',
    description:
      'Fix the cause first. The operation is rolled back, or finished if it is past its point of no return. ' +
      'doctor --fix does this for all operations.',
    parameters: [id],
    ability: 'admin',
    mutating: true,
    scoped: true,
    examples: ['operation retry 0199f0f2-6a0b-7a53-8d39-0f0a9f1c7e11'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const wanted = input.id
      const { title } = allowed(context.runs.find(wanted), wanted, caller)
      if (caller.dryRun) return { message: `Would try operation ${wanted} again.` }
      const state = await context.operations.retry(wanted, caller)
      if (state === 'attention')
        throw new ManagerError(
          'ERR_ATTENTION',
          `${title}: ${context.runs.find(wanted)?.message ?? 'it failed again.'}`,
          {
            help: `Fix the cause, then try again. To leave everything as it is: manager giveup ${wanted}.`,
            command: `operation retry ${wanted}`,
            operation: wanted,
          },
        )
      return { message: `${title}: ${state === 'succeeded' ? 'finished' : 'rolled back'}.`, operation: wanted }
    },
  }),
]

/** @throws ManagerError ERR_NOT_FOUND, also for one of an instance out of the caller's scope */
function allowed(item: OperationItem | undefined, wanted: string, { grant }: Caller): OperationItem {
  if (item && isInScope(grant.scope, item.instance_id)) return item
  throw new ManagerError('ERR_NOT_FOUND', `There is no operation "${wanted.slice(0, 40)}".`, { command: 'operations' })
}
