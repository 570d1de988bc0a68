import { checkHost } from '../access/check-host.js'
import type { Action } from '../action.js'
import { deleteKind } from '../instances/delete.js'
import { renameKind } from '../instances/rename.js'
import { resetKind } from '../instances/reset.js'
import { wireInstance } from '../instances/wire-instance.js'
import { standardUrlOf } from '../settings/public-url.js'
import { add, clone } from './create.js'
import { defineAction } from './define-action.js'
import { runOperation, withPurge } from './run-operation.js'
import { purge, trash, undelete } from './trash.js'

const rename = defineAction({
  name: 'rename',
  aliases: ['mv'],
  group: 'Instances',
  summary: 'Rename an instance',
  description:
    'Its folder, database and port do not change. It keeps running, unless instances are served below their ' +
    'names (APPS_ROOTCONTEXT=false): then it is restarted with its new context. A name whose address is the ' +
    'custom URL of another instance is refused. A token for some instances needs the host of the new address ' +
    'among its --hosts.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to rename' },
    { name: 'new', type: 'new-name', required: true, summary: 'New name of the instance' },
  ],
  ability: 'operate',
  mutating: true,
  examples: ['rename demo sales', 'mv demo Demo'],
  view: { type: 'text' },
  handler(call) {
    const { context, input } = call
    const before = input.name
    const { id, name } = before
    const to = input.new
    checkHost(call.caller, standardUrlOf({ name: to }, context.settings.global), before, context.settings.global)
    return runOperation(call, renameKind, { id, name, to }, () => ({
      message: `Instance "${name}" is now named "${to}".`,
      item: wireInstance(context.registry.get(to), context.settings.global),
    }))
  },
})

const reset = defineAction({
  name: 'reset',
  group: 'Instances',
  summary: 'Erase all configuration and data of an instance',
  description:
    'The instance becomes blank, of its version or the version given. Its name, port, flags, custom URL, and the ' +
    'credentials of its I/O endpoint and first administrator stay. The old instance stays in the trash for ' +
    'APPS_TRASHDAYS; to restore it under another name, use undelete. Protected instances are refused.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to reset' },
    { name: 'version', type: 'version', summary: 'New version (default: the current one)' },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'All configuration and data of "{name}" will be erased.',
  examples: ['reset demo', 'reset demo 1.1 --yes'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    const version = input.version ?? null
    const result = await runOperation(call, resetKind, { id, name, version }, () => {
      const item = context.registry.get(name)
      return {
        message: `Instance "${name}" is now blank (version ${item.version}).`,
        item: wireInstance(item, context.settings.global),
      }
    })
    return withPurge(call, result)
  },
})

const remove = defineAction({
  name: 'delete',
  aliases: ['del', 'rm'],
  group: 'Instances',
  summary: 'Delete an instance',
  description:
    'Stops the instance and moves it to the trash, where it and its database stay for APPS_TRASHDAYS (0: deleted ' +
    'immediately). Until then, undelete restores it. Its name and port are free immediately. Protected instances ' +
    'are refused.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to delete' }],
  options: [
    { name: 'force', type: 'yes-no', summary: 'Kill it immediately instead of letting it finish' },
    { name: 'purge', type: 'flag', summary: 'Delete permanently, skip the trash' },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'Instance "{name}" will be deleted.',
  examples: ['delete demo', 'rm demo --yes', 'delete demo --force yes --purge --yes'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    const request = { id, name, force: input.force === true, purge: input.purge }
    const kept = !request.purge && context.settings.global.trashDays > 0
    const result = await runOperation(call, deleteKind, request, ({ outcomes }) => ({
      message: `Instance "${name}" is deleted${kept ? '; to restore it, use undelete' : ''}.`,
      ...(kept && { data: outcomes.get('trash') as { readonly entry: string } }),
    }))
    return withPurge(call, result)
  },
})

export const lifecycleActions: readonly Action[] = [add, clone, rename, reset, remove, trash, undelete, purge]
