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
  summary: 'Give an instance another name',
  description:
    'Neither its folder nor its database or port change. It goes on running, unless instances are served below their ' +
    'names (APPS_ROOTCONTEXT=false): then it is started again with its new context. A name whose address is the custom ' +
    'URL of another instance is refused. A token for some instances needs the host of the new address among its --hosts.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to rename' },
    { name: 'new', type: 'new-name', required: true, summary: 'Its new name' },
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
      message: `Instance "${name}" is called "${to}" now.`,
      item: wireInstance(context.registry.get(to), context.settings.global),
    }))
  },
})

const reset = defineAction({
  name: 'reset',
  group: 'Instances',
  summary: 'Erase all configuration and data of an instance',
  description:
    'It becomes a blank one of its version, or of the version that is named. Its name, port, flags and custom URL stay, ' +
    'and so do the credentials of its I/O endpoint and of its first administrator. What it was is kept in the trash for ' +
    'APPS_TRASHDAYS and can be had back under another name (undelete). A protected instance is refused.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to reset' },
    { name: 'version', type: 'version', summary: 'Version that it becomes (default: its own)' },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'All configuration and data of "{name}" will be lost.',
  examples: ['reset demo', 'reset demo 1.1 --yes'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    const version = input.version ?? null
    const result = await runOperation(call, resetKind, { id, name, version }, () => {
      const item = context.registry.get(name)
      return {
        message: `Instance "${name}" is blank now (version ${item.version}).`,
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
    'It is stopped and goes to the trash, where it and its database stay for APPS_TRASHDAYS (0: not at all); until then ' +
    'undelete brings it back. Its name and port are free at once. A protected instance is refused.',
  parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to delete' }],
  options: [
    { name: 'force', type: 'yes-no', summary: 'Stop it at once, without letting it finish' },
    { name: 'purge', type: 'flag', summary: 'Keep nothing in the trash' },
  ],
  ability: 'admin',
  mutating: true,
  destructive: 'Instance "{name}" will be deleted with all its data.',
  examples: ['delete demo', 'rm demo --yes', 'delete demo --force yes --purge --yes'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    const request = { id, name, force: input.force === true, purge: input.purge }
    const kept = !request.purge && context.settings.global.trashDays > 0
    const result = await runOperation(call, deleteKind, request, () => ({
      message: `Instance "${name}" is deleted${kept ? '; undelete brings it back' : ''}.`,
    }))
    return withPurge(call, result)
  },
})

export const lifecycleActions: readonly Action[] = [add, clone, rename, reset, remove, trash, undelete, purge]
