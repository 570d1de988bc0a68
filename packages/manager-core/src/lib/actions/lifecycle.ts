import { databaseTypes, type DatabaseType } from '../domain/instance.js'
import { randomId, randomName } from '../domain/names.js'
import type { ManagerContext } from '../context.js'
import { ManagerError } from '../../errors.js'
import { addKind, cloneKind } from '../instances/create.js'
import type { CreationRequest } from '../instances/creation.js'
import type { Action, ActionCall, ActionResult, Option } from './action.js'
import { runOperation } from './run-operation.js'

const creationOptions: readonly Option[] = [
  { name: 'database', type: 'choice', choices: databaseTypes, summary: 'Type of its database' },
  { name: 'protected', type: 'yes-no', summary: 'Whether it is protected from reset and delete' },
  { name: 'auto-save', type: 'yes-no', summary: 'Whether it is saved with all others every night' },
  { name: 'auto-update', type: 'yes-no', summary: 'Whether it is upgraded with all others every night' },
  { name: 'no-start', type: 'flag', summary: 'Leave it stopped' },
]

const add: Action = {
  name: 'add',
  group: 'Instances',
  summary: 'Add an instance of a version, or as a clone of another instance, and start it',
  description:
    'Without a name it gets one of 10 letters and digits. The second argument is a version or, when there is no such ' +
    'version, the name of an instance to clone (see clone); without it, it is the default version. Options go before ' +
    'the defaults of config.sh (APPS_DEFAULTDATABASE, APPS_DEFAULTPROTECTED, APPS_DEFAULTAUTOSAVE, APPS_DEFAULTAUTOUPDATE). ' +
    'It has a database with a user of its own, generated passwords, and a port of APPS_PORTS on 127.0.0.1. When anything ' +
    'fails, an unhealthy first start too, nothing of it is left.',
  parameters: [
    { name: 'name', type: 'new-name', summary: 'Name: 3 to 20 letters and digits' },
    { name: 'from', type: 'text', summary: 'Version, or instance to clone' },
  ],
  options: creationOptions,
  ability: 'operate',
  mutating: true,
  examples: ['add', 'add demo', 'add demo 1.0 --database postgresql --auto-save yes', 'add test demo --no-start'],
  view: { type: 'record' },
  async handler(call) {
    const { context, input } = call
    const from = await originOf(input.from as string | undefined, context)
    return create(call, addKind, { name: input.name as string | undefined, from })
  },
}

const clone: Action = {
  name: 'clone',
  aliases: ['cp'],
  group: 'Instances',
  summary: 'Clone an instance: the same application and data under another name',
  description:
    'The instance is not changed and goes on serving; it is only paused while its data is copied. The clone gets new ' +
    'secrets (database user, I/O password, key of tokens); users in the data keep their passwords. It is neither protected ' +
    'nor saved or upgraded automatically unless the options say so, has no custom URL, and is started when the instance is.',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'Instance to clone' },
    { name: 'new', type: 'new-name', required: true, summary: 'Name of the clone' },
  ],
  options: creationOptions,
  ability: 'operate',
  mutating: true,
  examples: ['clone demo demo2', 'clone demo test --database postgresql --no-start'],
  view: { type: 'record' },
  handler(call) {
    const { context, input } = call
    const { id, name } = context.registry.get(input.name as string)
    return create(call, cloneKind, { name: input.new as string, from: { instance: id, name } })
  },
}

export const lifecycleActions: readonly Action[] = [add, clone]

async function create(
  call: ActionCall,
  kind: typeof addKind,
  { name, from }: { readonly name: string | undefined; readonly from: CreationRequest['from'] },
): Promise<ActionResult> {
  const { context, input } = call
  const flag = (option: string) => (input[option] as boolean | undefined) ?? null
  const request: CreationRequest = {
    id: randomId(),
    name: name ?? freeName(context),
    from,
    database: (input.database as DatabaseType | undefined) ?? null,
    protected: flag('protected'),
    autoSave: flag('auto-save'),
    autoUpdate: flag('auto-update'),
    start: input['no-start'] ? false : null,
  }
  return runOperation(call, kind, request, ({ instance }) => {
    const { name: made, version, database, port, desired } = context.registry.get(instance.name)
    const url = `http://127.0.0.1:${port}`
    const how = desired === 'started' ? `it answers at ${url}` : `start it with: start ${made}`
    return {
      message: `Instance "${made}" (version ${version}, ${database}) is there; ${how}`,
      item: { name: made, version, database, url, status: desired },
    }
  })
}

/** A version goes before an instance of the same name. */
async function originOf(
  text: string | undefined,
  { templates, registry }: ManagerContext,
): Promise<CreationRequest['from']> {
  if (text === undefined) return { version: null }
  const versions = await templates.list()
  if (versions.some(({ version }) => version === text)) return { version: text }
  const instance = registry.find(text)
  if (instance) return { instance: instance.id, name: instance.name }
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  throw new ManagerError('ERR_NOT_FOUND', `There is neither a version nor an instance "${shown}".`, {
    help:
      versions.length > 0
        ? `Versions: ${versions.map(({ version }) => version).join(', ')}.`
        : 'No version was fetched yet.',
    command: versions.length > 0 ? 'versions' : 'refresh',
  })
}

function freeName({ registry }: ManagerContext): string {
  const name = randomName()
  return registry.find(name) ? freeName({ registry } as ManagerContext) : name
}
